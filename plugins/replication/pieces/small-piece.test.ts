import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPieceCalculator } from './piece-calculator.ts'
import { calculateSmallPiece, smallPieceBytesMax } from './small-piece.ts'

test.each([1, 127, 128, 4096, smallPieceBytesMax])('a piece of %i bytes is the same as from a hashing thread', async (size) => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-small-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const bytes = randomBytes(size)
  writeFileSync(join(dir, 'blob'), bytes)
  await using calculator = createPieceCalculator({ threads: 1 })
  const piece = calculateSmallPiece(bytes)
  const expected = await calculator.calculate({ path: join(dir, 'blob'), length: size })
  expect({ ...piece, chunkRoots: Buffer.from(piece.chunkRoots) }).toEqual({ ...expected, chunkRoots: Buffer.from(expected.chunkRoots) })
})
