import { randomFillSync } from 'node:crypto'
import { newToken } from '#kernel'

const idBytes = 8
// One system call for many ids is much cheaper than one for each.
const pool = Buffer.alloc(idBytes * 512)
let poolAt = pool.length

/** 16 upper-case hexadecimal digits. */
export function newRequestId(): string {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  poolAt += idBytes
  return pool.toString('hex', poolAt - idBytes, poolAt).toUpperCase()
}

/** Identifies this process; sent as x-amz-id-2. */
export const hostId = newToken(24)
