/** Percent-encoding as S3 uses it: byte by byte, with the unreserved set of Signature Version 4. */
const unreserved = /^[A-Za-z0-9\-._~]*$/
const unreservedOrSlash = /^[A-Za-z0-9\-._~/]*$/

const encodedByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return unreserved.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

/** Encodes every byte except the unreserved ones, and except `/` with `keepSlash`. */
export function percentEncode(value: string | Uint8Array, keepSlash = false): string {
  if (typeof value === 'string' && (keepSlash ? unreservedOrSlash : unreserved).test(value)) return value
  let encoded = ''
  for (const byte of typeof value === 'string' ? Buffer.from(value, 'utf8') : value) {
    encoded += keepSlash && byte === 0x2f ? '/' : encodedByte[byte]
  }
  return encoded
}

/** True when neither percent-encoding (slashes kept) nor decoding changes the text. */
export function isPlain(text: string): boolean {
  return unreservedOrSlash.test(text)
}

interface DecodeOptions {
  /** Decodes `+` as a space: for queries, not for paths. */
  readonly plusIsSpace?: boolean
}

/** Returns undefined when an escape is malformed. */
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

/** Returns undefined when an escape or the UTF-8 is malformed. */
export function percentDecode(text: string, options: DecodeOptions = {}): string | undefined {
  if (isPlain(text)) return text
  const bytes = percentDecodeBytes(text, options)
  if (bytes === undefined) return undefined
  try {
    return strictUtf8.decode(bytes)
  } catch {
    // A fatal decoder throws only on malformed UTF-8.
    return undefined
  }
}

// ignoreBOM keeps a leading U+FEFF, which is a valid character of a key.
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
