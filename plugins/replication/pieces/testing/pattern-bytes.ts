// Deterministic pseudo-random bytes: AES-CTR over zeros with a fixed key.
import { createCipheriv } from 'node:crypto'

const key = Buffer.alloc(16, 'svc')

export function patternBytes(size: number): Uint8Array<ArrayBuffer> {
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16))
  return Uint8Array.from(cipher.update(Buffer.alloc(size)))
}
