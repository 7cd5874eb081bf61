import type { BucketRef } from '../contract.ts'

export interface Announcer {
  /** Called after objects or versions of a bucket were added, deleted or restored durably. */
  readonly onChanged?: ((bucket: BucketRef) => void) | undefined
}

/** Waits for a change and tells of it. Undefined: there was nothing to change. */
export async function announced<T>({ onChanged }: Announcer, bucket: BucketRef, change: Promise<T>): Promise<T> {
  const result = await change
  if (result !== undefined) onChanged?.(bucket)
  return result
}
