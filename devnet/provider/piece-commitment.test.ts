import { expect, test } from 'vitest'
import { pieceCidOfBytes } from '../testing/provider-calls.ts'
import { createPieceCommitment, readPieceCid } from './piece-commitment.ts'

/** Around the sizes of groups, batches and trees. */
const sizes = [127, 128, 254, 255, 1000, 65_024, 65_025, 130_047, 130_048, 130_049, 390_144, 390_145, 520_192, 1_500_000]

test.each(sizes)('a piece of %i bytes gets the same CID from the devnet and the gateway, whose code is different', (size) => {
  const bytes = Buffer.alloc(size, 'bytes that repeat after 32 of it')
  const commitment = createPieceCommitment()
  for (let at = 0; at < size; at += 70_001) commitment.update(bytes.subarray(at, at + 70_001))
  const pieceCid = commitment.pieceCid()
  expect(pieceCid).toBe(pieceCidOfBytes(bytes))
  expect(readPieceCid(pieceCid)).toMatchObject({ rawSize: size })
})

test.each(['', 'bafkzcib', 'baga6ea4seaqao7s73y24kcutaosvacpdjgfe5pw76ooefnyqw4ynr3d2y6x2mpq'])(
  '%j is no piece CID of version 2',
  (text) => {
    expect(readPieceCid(text)).toBeUndefined()
  },
)
