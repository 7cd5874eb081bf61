// Ids that let a client and the log speak of the same request.
import { randomFillSync } from 'node:crypto'
import { newToken } from '#kernel'

const idBytes = 8
// Filling many at once costs a fraction of asking the system for each.
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

/** Names this process in every answer, as x-amz-id-2. */
export const hostId = newToken(24)
