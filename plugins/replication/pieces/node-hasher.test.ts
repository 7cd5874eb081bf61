import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { chooseNodeHasher, fallbackNodeHasher, hashPair, nodeHasherChoice } from './node-hasher.ts'

test('a parent is the SHA-256 of its children with the two highest bits cleared', () => {
  const left = new Uint8Array(32).fill(0xa5)
  const right = new Uint8Array(32).fill(0x5a)
  const expected = createHash('sha256').update(left).update(right).digest()
  expected.writeUInt8(expected.readUInt8(31) & 0x3f, 31)
  for (const hasher of [nodeHasherChoice.hasher, fallbackNodeHasher]) {
    expect(Buffer.from(hashPair(hasher, left, right)).toString('hex')).toBe(expected.toString('hex'))
  }
})

test('the portable hasher gives the same layers as the native one, for any width', () => {
  const { hasher, nativeProblem } = chooseNodeHasher()
  expect({ name: hasher.name, nativeProblem }).toEqual({ name: 'hashtree', nativeProblem: undefined })
  for (const pairs of [1, 2, 3, 4, 5, 7, 8, 15, 16, 33, 1024]) {
    const layer = Uint8Array.from({ length: pairs * 64 }, (_, index) => (index * 131 + pairs) & 0xff)
    const native = new Uint8Array(pairs * 32)
    const portable = new Uint8Array(pairs * 32)
    hasher.hashLayer(layer, native)
    fallbackNodeHasher.hashLayer(layer, portable)
    expect(portable).toEqual(native)
  }
})

test('without the native binary the portable hasher is used and the reason reported', () => {
  const choice = chooseNodeHasher(() => {
    throw new Error('no prebuilt binary for plan9')
  })
  expect(choice).toEqual({ hasher: fallbackNodeHasher, nativeProblem: 'no prebuilt binary for plan9' })
})

test('a native binary with wrong hashes is not used', () => {
  const choice = chooseNodeHasher(() => (_input, output) => output.fill(7))
  expect(choice.hasher).toBe(fallbackNodeHasher)
  expect(choice.nativeProblem).toContain('wrong hashes')
})
