import { randomFillSync } from 'node:crypto'

const poolBytes = 4096
// One system call for many ids is much cheaper than one for each.
const pool = Buffer.alloc(poolBytes)
let usedBytes = poolBytes

/** Random bytes for an id, at most 4096; valid until the next call. Secrets take their own, which are not kept here. */
export function takeRandom(bytes: number): Buffer {
  if (bytes > poolBytes) throw new RangeError(`${bytes} random bytes requested; the pool has ${poolBytes}`)
  if (usedBytes + bytes > poolBytes) {
    randomFillSync(pool)
    usedBytes = 0
  }
  usedBytes += bytes
  return pool.subarray(usedBytes - bytes, usedBytes)
}
