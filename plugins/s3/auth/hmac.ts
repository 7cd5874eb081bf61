import { createHmac, hash, type KeyObject } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32
/** Longer texts take the usual way. */
const textBytesMax = 960
/** UTF-8 needs at most this many bytes for a UTF-16 unit. */
const bytesPerUnitMax = 3

interface Pads {
  /** The inner pad, and room for the text. */
  readonly inner: Buffer
  /** The outer pad, and room for the inner digest. */
  readonly outer: Buffer
}

const padsByKey = new WeakMap<KeyObject, Pads>()

/**
 * HMAC-SHA256 in hex. Two hashes with kept pads take half the time of `createHmac`, whose object the garbage collector must also finalize.
 * `key`: at most 64 bytes.
 */
export function hmacSha256(key: KeyObject, text: string): string {
  if (text.length * bytesPerUnitMax > textBytesMax) return createHmac('sha256', key).update(text).digest('hex')
  const { inner, outer } = padsByKey.get(key) ?? keepPads(key)
  const end = blockBytes + inner.write(text, blockBytes)
  // Latin1 text is used, because a Buffer for the result costs more than the hash.
  outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockBytes, 'latin1')
  return hash('sha256', outer)
}

function keepPads(key: KeyObject): Pads {
  const bytes = key.export()
  const pads = { inner: padOf(bytes, 0x36, textBytesMax), outer: padOf(bytes, 0x5c, digestBytes) }
  padsByKey.set(key, pads)
  return pads
}

function padOf(key: Buffer, filler: number, room: number): Buffer {
  const pad = Buffer.alloc(blockBytes + room)
  for (let at = 0; at < blockBytes; at++) pad[at] = (key[at] ?? 0) ^ filler
  return pad
}
