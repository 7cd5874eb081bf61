import { randomBytes, randomUUID } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeDigits = 10

/** A ULID: 26 characters, sortable by creation time to the millisecond, unguessable in its last 80 bits. */
export function newUlid(nowMs: number): string {
  let text = ''
  for (let i = 0, rest = nowMs; i < timeDigits; i++, rest = Math.floor(rest / 32)) text = alphabet.charAt(rest % 32) + text
  // Node makes many UUIDs with one system call; their first 8 and last 12 digits are random.
  const id = randomUUID()
  const digits = id.slice(0, 8) + id.slice(-12)
  for (let at = 0; at < digits.length; at += 5) {
    const bits = Number.parseInt(digits.slice(at, at + 5), 16)
    for (let shift = 15; shift >= 0; shift -= 5) text += alphabet.charAt((bits >> shift) & 31)
  }
  return text
}

/** `bytes` random bytes in base64url without padding: 16 bytes are 22 characters, 32 bytes are 43. */
export function newToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
