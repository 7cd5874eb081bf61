import { randomBytes } from 'node:crypto'
import { takeRandom } from './process/random-pool.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeDigits = 10

/** A ULID: 26 characters, sortable by creation time to the millisecond, unguessable in its last 80 bits. */
export function newUlid(nowMs: number): string {
  let time = ''
  for (let i = 0, rest = nowMs; i < timeDigits; i++, rest = Math.floor(rest / 32)) time = alphabet.charAt(rest % 32) + time
  let random = ''
  for (const byte of takeRandom(16)) random += alphabet.charAt(byte & 31)
  return time + random
}

/** `bytes` random bytes in base64url without padding: 16 bytes are 22 characters, 32 bytes are 43. */
export function newToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
