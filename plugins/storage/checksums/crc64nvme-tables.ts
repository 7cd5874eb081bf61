/** Tables of CRC-64/NVME, in reflected bit order: the lowest bit of a register or byte is the highest power of x. */

/** The reflected form of the polynomial 0xad93d23594c93659. */
const polynomial = 0x9a6c9329ac4bc9b5n
/** Bytes of one lane in a block, and of a register. */
const laneBytes = 8
/** Distance of two bytes of the same lane: a vector has one byte of each lane. */
const lanes = 16

/** The register after each byte, from zero. */
export const byteTable: readonly bigint[] = Array.from({ length: 256 }, (_, byte) => {
  let register = BigInt(byte)
  for (let bit = 0; bit < 8; bit++) register = register & 1n ? (register >> 1n) ^ polynomial : register >> 1n
  return register
})

/** The register after as many zero bytes. */
function advance(register: bigint, bytes: number): bigint {
  let advanced = register
  for (let n = 0; n < bytes; n++) advanced = (byteTable[Number(advanced & 0xffn)] as bigint) ^ (advanced >> 8n)
  return advanced
}

/** A linear map of 64 bits: the image of each bit. */
type LinearMap = readonly bigint[]

const apply = (map: LinearMap, value: bigint): bigint =>
  map.reduce((sum, image, bit) => ((value >> BigInt(bit)) & 1n ? sum ^ image : sum), 0n)

/** Inverse, by Gaussian elimination. @throws Error for a map without an inverse */
function inverseOf(map: LinearMap): LinearMap {
  const rows = map.map((image, bit) => ({ image, source: 1n << BigInt(bit) }))
  for (let bit = 0; bit < rows.length; bit++) {
    const mask = 1n << BigInt(bit)
    const at = rows.findIndex(({ image }, place) => place >= bit && image & mask)
    const [pivot] = at < 0 ? [] : rows.splice(at, 1)
    if (!pivot) throw new Error('the map has no inverse')
    rows.splice(bit, 0, pivot)
    for (const row of rows) {
      if (row === pivot || !(row.image & mask)) continue
      row.image ^= pivot.image
      row.source ^= pivot.source
    }
  }
  return rows.map(({ source }) => source)
}

/**
 * Carries a lane to the next block. A lane is eight bytes of a block, `lanes` bytes apart. Its value has the same effect on the register as
 * other eight bytes at the same places of the next block, which this map returns: so blocks are added to a state of the size of a block
 * without reordering their bytes. The map is the same for each lane; it is computed for the last one.
 */
function laneMap(): LinearMap {
  const registers: bigint[] = []
  for (let byte = 0; byte < laneBytes; byte++) {
    for (let bit = 0; bit < 8; bit++) registers.push(advance(byteTable[1 << bit] as bigint, lanes * (laneBytes - 1 - byte)))
  }
  const bytesOf = inverseOf(registers)
  return registers.map((register) => apply(bytesOf, advance(register, lanes * laneBytes)))
}

/** Position of the table that has, for the 16 values of one half of a byte of a lane, what they add to a byte of the next state. */
export const laneTableAt = (byte: number, half: 0 | 1, nextByte: number): number => ((byte * 2 + half) * laneBytes + nextByte) * 16

export function laneTables(): Uint8Array {
  const map = laneMap()
  const tables = new Uint8Array(laneBytes * 2 * laneBytes * 16)
  for (let byte = 0; byte < laneBytes; byte++) {
    for (const half of [0, 1] as const) {
      for (let value = 0; value < 16; value++) {
        const next = apply(map, BigInt(value) << BigInt(8 * byte + 4 * half))
        for (let nextByte = 0; nextByte < laneBytes; nextByte++)
          tables[laneTableAt(byte, half, nextByte) + value] = Number((next >> BigInt(8 * nextByte)) & 0xffn)
      }
    }
  }
  return tables
}
