import { calculate } from '@filoz/synapse-core/piece'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fallbackNodeHasher, nodeHasherChoice } from './node-hasher.ts'
import { pieceCidOf } from './piece-cid.ts'
import { createBatch, createPieceHasher, type PieceHasherOptions } from './piece-hasher.ts'
import { patternBytes } from './testing/pattern-bytes.ts'

/** Sizes around the borders of blocks (127), groups (508), batches (130,048) and trees (powers of two). */
const oddSizes = [
  65, 100, 126, 127, 128, 129, 253, 254, 255, 507, 508, 509, 1015, 1016, 1017, 2032, 4096, 8128, 65_023, 65_024, 65_025, 65_535, 65_536,
  65_537, 130_047, 130_048, 130_049, 260_096, 260_097, 520_191, 1_000_000, 1_040_384, 1_040_385, 1_048_577,
]

/** More than two batches and an odd rest. */
const chunkedSize = 300_001
const chunkedCid = cidOf(patternBytes(chunkedSize))

test('known pieces get their known CIDs', () => {
  expect(cidOf(new Uint8Array(127))).toBe('bafkzcibcaabdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy')
  expect(cidOf(new Uint8Array(1_048_576))).toBe('bafkzcibeqcad6egqwuynxmfu6jof2lzkfdp65aelknasuautd4mmjgpvujkaq2ytey')
})

test.each(oddSizes)('a piece of %i bytes gets the same CID as in the SDK, with both hashers', (size) => {
  const content = patternBytes(size)
  const expected = calculate(content).toString()
  expect(cidOf(content)).toBe(expected)
  expect(cidOf(content, { nodeHasher: fallbackNodeHasher })).toBe(expected)
})

test('the CID does not depend on how the bytes are split into chunks', () => {
  const content = patternBytes(chunkedSize)
  fc.assert(
    fc.property(fc.array(fc.nat(chunkedSize), { maxLength: 12 }), (cuts) => {
      const hasher = createPieceHasher()
      let start = 0
      for (const end of [...cuts.toSorted((a, b) => a - b), chunkedSize]) {
        hasher.update(content.subarray(start, end))
        start = end
      }
      expect(pieceCidOf(hasher.digest())).toBe(chunkedCid)
    }),
    { numRuns: 60 },
  )
})

test('the caller may reuse a chunk as soon as update has returned', () => {
  const content = patternBytes(1000)
  const chunk = new Uint8Array(100)
  const hasher = createPieceHasher()
  for (let start = 0; start < content.length; start += chunk.length) {
    chunk.set(content.subarray(start, start + chunk.length))
    hasher.update(chunk)
    chunk.fill(0xee)
  }
  expect(pieceCidOf(hasher.digest())).toBe(cidOf(content))
})

test('more bytes can follow a digest', () => {
  const content = patternBytes(chunkedSize)
  const hasher = createPieceHasher()
  let size = 0
  for (const next of [1, 127, 1000, 130_048, 200_000, chunkedSize]) {
    hasher.update(content.subarray(size, next))
    size = next
    expect(pieceCidOf(hasher.digest())).toBe(cidOf(content.subarray(0, size)))
  }
})

test('padTo counts missing bytes of the piece as zeros', () => {
  for (const size of [1, 64, 126, 127, 128]) {
    const content = patternBytes(size)
    const padded = new Uint8Array(Math.max(size, 127))
    padded.set(content)
    expect(cidOf(content, { padTo: 127 })).toBe(cidOf(padded))
  }
  expect(pieceCidOf(createPieceHasher({ padTo: 127 }).digest())).toBe(cidOf(new Uint8Array(127)))
  expect(cidOf(patternBytes(500), { padTo: 400_000 })).toBe(cidOf(Buffer.concat([patternBytes(500), new Uint8Array(399_500)])))
})

test('a digest of zero bytes throws', () => {
  expect(() => createPieceHasher().digest()).toThrow(RangeError)
})

function cidOf(content: Uint8Array, options?: PieceHasherOptions): string {
  const hasher = createPieceHasher(options)
  hasher.update(content)
  return pieceCidOf(hasher.digest())
}

test('hashers that use the same memory one after the other give their own pieces', () => {
  const batch = createBatch(nodeHasherChoice.hasher)
  for (const size of [1_000_000, 300_001, 127, 130_049]) {
    const hasher = createPieceHasher({ batch })
    hasher.update(patternBytes(size))
    expect(pieceCidOf(hasher.digest())).toBe(cidOf(patternBytes(size)))
  }
})
