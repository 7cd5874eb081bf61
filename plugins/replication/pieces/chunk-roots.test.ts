import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { areChunkRootsOf, isChunk } from './chunk-roots.ts'
import { createPieceCalculator } from './piece-calculator.ts'
import { pieceCidOf } from './piece-cid.ts'
import { createPieceHasher } from './piece-hasher.ts'
import { chunkRawBytes } from './piece-size.ts'
import { patternBytes } from './testing/pattern-bytes.ts'

/** Around the borders of batches, chunks and trees, and above the size from which a file is split into segments. */
const sizes = [
  chunkRawBytes + 1,
  chunkRawBytes + 130_048,
  2 * chunkRawBytes - 1,
  2 * chunkRawBytes,
  2 * chunkRawBytes + 1,
  5 * chunkRawBytes + 700_001,
  16 * 1024 * 1024 + 1,
  17 * chunkRawBytes + 12_345,
]
const bytes = patternBytes(Math.max(...sizes))
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-chunks-'))
  await writeFile(join(folder, 'bytes'), bytes)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(sizes)('the chunk roots of %i bytes fold into the piece CID, from the hasher and from the calculator', async (size) => {
  const piece = bytes.subarray(0, size)
  const hasher = createPieceHasher()
  hasher.update(piece)
  const chunkRoots = hasher.chunkRoots()
  expect(areChunkRootsOf(cidOf(piece), chunkRoots)).toBe(true)
  await using calculator = createPieceCalculator({ threads: 2 })
  const calculated = await calculator.calculate({ path: join(folder, 'bytes'), length: size })
  expect(Buffer.from(calculated.chunkRoots).equals(chunkRoots)).toBe(true)
})

test('every chunk is proved only by its own root, and one changed bit is detected', () => {
  const size = 3 * chunkRawBytes + 1000
  const hasher = createPieceHasher()
  hasher.update(bytes.subarray(0, size))
  const roots = hasher.chunkRoots()
  for (let position = 0; position < 4; position++) {
    const chunk = Buffer.from(bytes.subarray(position * chunkRawBytes, Math.min(size, (position + 1) * chunkRawBytes)))
    expect(isChunk(chunk, roots, position)).toBe(true)
    expect(isChunk(chunk, roots, (position + 1) % 4)).toBe(false)
    chunk.writeUInt8(chunk.readUInt8(chunk.length - 1) ^ 0x80, chunk.length - 1)
    expect(isChunk(chunk, roots, position)).toBe(false)
  }
})

test('too few, too many or changed roots and roots of another piece are refused', () => {
  const size = 3 * chunkRawBytes
  const hasher = createPieceHasher()
  hasher.update(bytes.subarray(0, size))
  const roots = hasher.chunkRoots()
  const pieceCid = cidOf(bytes.subarray(0, size))
  expect(areChunkRootsOf(pieceCid, roots)).toBe(true)
  expect(areChunkRootsOf(pieceCid, roots.subarray(32))).toBe(false)
  // Roots of trailing zeros fold into the same root: the number of chunks must match.
  expect(areChunkRootsOf(pieceCid, Buffer.concat([roots, new Uint8Array(32)]))).toBe(false)
  expect(areChunkRootsOf(cidOf(bytes.subarray(1, size + 1)), roots)).toBe(false)
  const changed = Buffer.from(roots)
  changed.writeUInt8(changed.readUInt8(40) ^ 1, 40)
  expect(areChunkRootsOf(pieceCid, changed)).toBe(false)
})

test('a piece of one chunk has no chunk roots', () => {
  const hasher = createPieceHasher()
  hasher.update(bytes.subarray(0, chunkRawBytes))
  expect(areChunkRootsOf(cidOf(bytes.subarray(0, chunkRawBytes)), hasher.chunkRoots())).toBe(false)
})

function cidOf(content: Uint8Array): string {
  const hasher = createPieceHasher()
  hasher.update(content)
  return pieceCidOf(hasher.digest())
}
