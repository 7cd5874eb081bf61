import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupPaddedBytes, groupRawBytes, padFr32 } from './fr32.ts'

test('every 254 raw bits become 256 bits whose two highest bits are zero', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: groupRawBytes, maxLength: groupRawBytes }), (raw) => {
      expect(Buffer.from(paddedByWords(raw)).toString('hex')).toBe(Buffer.from(paddedBitByBit(raw)).toString('hex'))
    }),
    { numRuns: 20 },
  )
})

test('groups are padded independently of each other', () => {
  const first = new Uint8Array(groupRawBytes).fill(0xff)
  const second = Uint8Array.from({ length: groupRawBytes }, (_, index) => index)
  const both = paddedByWords(Buffer.concat([first, second]))
  expect(both.subarray(0, groupPaddedBytes)).toEqual(paddedByWords(first))
  expect(both.subarray(groupPaddedBytes)).toEqual(paddedByWords(second))
})

function paddedByWords(raw: Uint8Array): Uint8Array {
  const groups = raw.length / groupRawBytes
  const padded = new Uint32Array((groups * groupPaddedBytes) / 4)
  padFr32(new Uint32Array(Uint8Array.from(raw).buffer), padded, groups)
  return new Uint8Array(padded.buffer)
}

/** Reference implementation, bit by bit. */
function paddedBitByBit(raw: Uint8Array): Uint8Array {
  const padded = new Uint8Array((raw.length / 127) * 128)
  for (let bit = 0; bit < raw.length * 8; bit++) {
    const value = ((raw[bit >> 3] ?? 0) >> (bit & 7)) & 1
    const target = Math.floor(bit / 254) * 256 + (bit % 254)
    padded[target >> 3] = (padded[target >> 3] ?? 0) | (value << (target & 7))
  }
  return padded
}
