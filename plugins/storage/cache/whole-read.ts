import { createHash, type Hash, hash } from 'node:crypto'

/** A cached file has other bytes than its content. */
export class DamagedBlob extends Error {
  override readonly name = 'DamagedBlob'

  constructor(sha256: string) {
    super(`the cached file has other bytes than its content: their SHA-256 is not ${sha256}`)
  }
}

export interface WholeBlob {
  readonly length: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Called once the bytes were found to be right. */
  readonly onProven?: () => void
}

/** A SHA-256 over blocks that come one after the other. Disposing gives it up. */
export interface RunningDigest extends Disposable {
  /** Resolves when the next block may be added. Never rejects: a fault shows at the end. */
  add(block: Uint8Array): Promise<void> | undefined
  /** Lower-case hex. Rejects when it could not be computed. */
  end(): Promise<string> | string
}

/**
 * I-30: gives the last block of a whole blob only after the SHA-256 of all blocks was compared, so that wrong bytes never make a complete
 * answer. @throws DamagedBlob
 */
export async function* proveWhole(
  blocks: AsyncIterable<Uint8Array>,
  { length, sha256, onProven }: WholeBlob,
  begin: () => RunningDigest = beginDigest,
): AsyncGenerator<Uint8Array, void, void> {
  using digest = begin()
  let passed = 0
  let adding: Promise<void> | undefined
  for await (const block of blocks) {
    passed += block.length
    // One block is hashed while the consumer sends it, and no more wait for that.
    await adding
    adding = digest.add(block)
    if (passed >= length) {
      await adding
      if ((await digest.end()) !== sha256) throw new DamagedBlob(sha256)
      onProven?.()
    }
    yield block
  }
}

/** On this thread. A single block is hashed in one call, which is faster. */
export function beginDigest(): RunningDigest {
  let only: Uint8Array | undefined
  let running: Hash | undefined
  return {
    add(block) {
      if (running === undefined && only === undefined) only = block
      else {
        running ??= createHash('sha256').update(only ?? block.subarray(0, 0))
        running.update(block)
      }
      return undefined
    },
    end: () => running?.digest('hex') ?? hash('sha256', only ?? new Uint8Array(0)),
    [Symbol.dispose]: () => {},
  }
}
