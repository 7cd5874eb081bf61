/** CRC of bytes that were received in parts, from the CRCs of the parts. */
import { checksumLengths } from '#plugins/storage'
import type { CrcAlgorithm } from './checksum-algorithms.ts'

/** CRC of one part, most significant byte first, and the length of the part in bytes. */
interface PartCrc {
  readonly digest: Buffer
  readonly size: number
}

/**
 * A polynomial over GF(2) of degree below 64. The most significant bit of `high` is the coefficient of 1, the least significant one of
 * `low` that of x^63, because these CRCs process the least significant bit first.
 */
interface Polynomial {
  readonly high: number
  readonly low: number
}

/**
 * Moduli without their term of degree 64. CRCs of 32 bits are calculated with both CRC and modulus multiplied by x^32: the results are
 * multiples of x^32 too, so `high` is 0.
 */
const moduli: Readonly<Record<CrcAlgorithm, Polynomial>> = {
  crc32: { high: 0, low: 0xedb88320 },
  crc32c: { high: 0, low: 0x82f63b78 },
  crc64nvme: { high: 0x9a6c9329, low: 0xac4bc9b5 },
}

const one: Polynomial = { high: 0x80000000, low: 0 }
/** x^8: appends one byte. */
const byteShift: Polynomial = { high: 0x00800000, low: 0 }

/** CRC of the parts in this order; of no bytes without parts. Equals the CRC over all bytes. */
export function combineCrcs(algorithm: CrcAlgorithm, parts: readonly PartCrc[]): Buffer {
  const shiftBy = shifts(algorithm)
  let combined: Polynomial = { high: 0, low: 0 }
  for (const { digest, size } of parts) {
    const shifted = multiply(combined, shiftBy(size), moduli[algorithm])
    const part = fromDigest(digest)
    combined = { high: shifted.high ^ part.high, low: shifted.low ^ part.low }
  }
  return toDigest(combined, checksumLengths[algorithm])
}

/** Returns x^(8 * bytes) modulo the polynomial of the algorithm. Parts mostly have the same length. */
function shifts(algorithm: CrcAlgorithm): (bytes: number) => Polynomial {
  const modulus = moduli[algorithm]
  // The element k shifts by 2^k bytes.
  const powers: Polynomial[] = [byteShift]
  const power = (k: number): Polynomial => {
    const known = powers[k]
    if (known !== undefined) return known
    const half = power(k - 1)
    const squared = multiply(half, half, modulus)
    powers.push(squared)
    return squared
  }
  let last = { bytes: 0, shift: one }
  return (bytes) => {
    if (bytes === last.bytes) return last.shift
    let shift = one
    // Division, not a shift: lengths have up to 53 bits.
    for (let [rest, k] = [bytes, 0]; rest > 0; rest = Math.floor(rest / 2), k += 1) {
      if (rest % 2 === 1) shift = multiply(shift, power(k), modulus)
    }
    last = { bytes, shift }
    return shift
  }
}

/** The product modulo the polynomial. */
function multiply(left: Polynomial, right: Polynomial, modulus: Polynomial): Polynomial {
  let [high, low] = [0, 0]
  let { high: termHigh, low: termLow } = right
  for (let degree = 0; degree < 64; degree += 1) {
    const word = degree < 32 ? left.high : left.low
    if ((word << (degree & 31)) & 0x80000000) {
      high ^= termHigh
      low ^= termLow
    }
    const isReduced = (termLow & 1) === 1
    termLow = (termLow >>> 1) | (termHigh << 31)
    termHigh >>>= 1
    if (isReduced) {
      termHigh ^= modulus.high
      termLow ^= modulus.low
    }
  }
  return { high, low }
}

function fromDigest(digest: Buffer): Polynomial {
  return { high: digest.length === 8 ? digest.readUInt32BE(0) : 0, low: digest.readUInt32BE(digest.length - 4) }
}

function toDigest({ high, low }: Polynomial, length: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeInt32BE(high | 0, 0)
  bytes.writeInt32BE(low | 0, 4)
  return bytes.subarray(8 - length)
}
