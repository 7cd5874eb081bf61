import type { Attached } from '../contents/attached.ts'
import type { ObjectSizeChoice, SizeLimits } from '../contract.ts'
import { pieceSizes } from './size-policy.ts'

/** The limits of the first contribution, read at the first use: contributions are resolved after the services. */
export function readSizeLimits(attached: () => readonly Attached<ObjectSizeChoice>[]): () => SizeLimits {
  let limits: SizeLimits | undefined
  return () => {
    if (limits === undefined) {
      const [choice] = attached()
      limits = choice ? choice.item.read(choice.services) : pieceSizes
    }
    return limits
  }
}
