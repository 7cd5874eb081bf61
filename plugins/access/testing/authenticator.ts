import { createHmac } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an authenticator app shows for a Base32 secret: written apart from the service, so that both must agree on RFC 6238. */
export function codeOf(secret: string, nowMs: number): string {
  let bits = 0n
  for (const char of secret) bits = (bits << 5n) | BigInt(alphabet.indexOf(char))
  const key = Buffer.from(
    (bits >> BigInt((secret.length * 5) % 8)).toString(16).padStart(Math.floor((secret.length * 5) / 8) * 2, '0'),
    'hex',
  )
  const counter = Buffer.alloc(8)
  counter.writeUInt32BE(Math.floor(nowMs / 30_000), 4)
  const mac = createHmac('sha1', key).update(counter).digest()
  const at = (mac[19] as number) & 15
  const value =
    (((mac[at] as number) & 127) << 24) | ((mac[at + 1] as number) << 16) | ((mac[at + 2] as number) << 8) | (mac[at + 3] as number)
  return String(value % 1_000_000).padStart(6, '0')
}
