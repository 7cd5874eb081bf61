// Percent-encoding as S3 uses it: of bytes, with its own unreserved set, and decoded exactly once.

const unreserved = /^[A-Za-z0-9\-._~]*$/
const unreservedOrSlash = /^[A-Za-z0-9\-._~/]*$/

const encodedByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return unreserved.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

/** Encodes every byte but the unreserved ones; `/` is kept only when asked. */
export function percentEncode(value: string | Uint8Array, keepSlash = false): string {
  if (typeof value === 'string' && (keepSlash ? unreservedOrSlash : unreserved).test(value)) return value
  let encoded = ''
  for (const byte of typeof value === 'string' ? Buffer.from(value, 'utf8') : value) {
    encoded += keepSlash && byte === 0x2f ? '/' : encodedByte[byte]
  }
  return encoded
}

/** True when percent-encoding the text, or decoding it, changes nothing; slashes do not count. */
export function isPlain(text: string): boolean {
  return unreservedOrSlash.test(text)
}

export interface DecodeOptions {
  /** Reads `+` as a space: right for queries, wrong for paths. */
  readonly plusIsSpace?: boolean
}

/** The bytes a percent-encoded text stands for, or undefined when an escape is malformed. */
export function percentDecodeBytes(text: string, options: DecodeOptions = {}): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let index = 0; index < text.length; index += 1) {
    let byte = text.charCodeAt(index) & 0xff
    if (byte === 0x25) {
      byte = hexByte(text, index + 1)
      if (byte < 0) return undefined
      index += 2
    } else if (byte === 0x2b && options.plusIsSpace) {
      byte = 0x20
    }
    bytes[length] = byte
    length += 1
  }
  return bytes.subarray(0, length)
}

/** The UTF-8 text a percent-encoded text stands for, or undefined when an escape or the UTF-8 is malformed. */
export function percentDecode(text: string, options: DecodeOptions = {}): string | undefined {
  if (isPlain(text)) return text
  const bytes = percentDecodeBytes(text, options)
  if (bytes === undefined) return undefined
  try {
    return strictUtf8.decode(bytes)
  } catch {
    // The only failure of a fatal decoder is malformed UTF-8, which is this function's `undefined`.
    return undefined
  }
}

// ignoreBOM keeps a leading U+FEFF, which is as good a character of a key as any other.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function hexByte(text: string, index: number): number {
  const high = hexDigit(text.charCodeAt(index))
  const low = hexDigit(text.charCodeAt(index + 1))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
