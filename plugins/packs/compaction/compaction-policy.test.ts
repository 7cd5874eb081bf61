import { expect, test } from 'vitest'
import { type CompactablePack, compactionCosts, deadBytesOf, decideCompaction } from './compaction-policy.ts'

const usd = (amount: number) => BigInt(Math.round(amount * 1e6)) * 10n ** 12n
const prices = {
  storagePerTibPerMonth: usd(2.5),
  addPiecesBaseFee: usd(0.008),
  addPiecesPerPieceFee: usd(0.003),
  schedulePieceRemovalsFee: usd(0.007),
}
const mib = 2 ** 20
const pack = (id: number, livingShare: number, change: Partial<CompactablePack> = {}): CompactablePack => ({
  ...{ id, size: 256 * mib, members: 100, livingBytes: Math.floor(256 * mib * livingShare), targetCopies: 3, isAsked: false },
  ...change,
})
const decide = (packs: readonly CompactablePack[], change: Partial<Parameters<typeof decideCompaction>[0]> = {}) =>
  decideCompaction({ packs, prices, months: 12, bytesMax: 256 * mib, membersMax: 1000, ...change }).map(({ id }) => id)

test('dead bytes are those that are neither members nor the format', () => {
  expect(deadBytesOf({ size: 10_000, members: 2, livingBytes: 4000 })).toBe(10_000 - 4000 - 2 * 552 - 256)
  expect(deadBytesOf({ size: 2000, members: 2, livingBytes: 1500 })).toBe(0)
})

test('at the prices of 1.4, one pack of 256 MiB must be nearly all dead for twelve months, and several pay together', () => {
  // 256 MiB in three copies cost 0.0018 a month, and a replacement 0.054 at once.
  const { saved, fees } = compactionCosts([pack(1, 0)], { prices, months: 12 })
  expect([saved, fees]).toEqual([(BigInt(deadBytesOf(pack(1, 0))) * 3n * usd(2.5) * 12n) / 2n ** 40n, usd(0.054)])
  expect(decide([pack(1, 0.05)])).toEqual([])
  expect(decide([pack(1, 0.2), pack(2, 0.1), pack(3, 0.2), pack(4, 0.9)])).toEqual([2, 1, 3])
  expect(decide([pack(1, 0.05)], { months: 48 })).toEqual([1])
})

test('packs are chosen as long as their living bytes and members have room in one', () => {
  const packs = [1, 2, 3, 4, 5, 6].map((id) => pack(id, 0.3))
  expect(decide(packs, { months: 100 })).toEqual([1, 2, 3])
  expect(decide(packs, { months: 100, membersMax: 200 })).toEqual([1, 2])
})

test('what a pack adds to each member counts as bytes of the new pack', () => {
  const packs = [1, 2, 3].map((id) => pack(id, 0, { livingBytes: 8000 * 100, members: 8000, isAsked: true }))
  const bytesMax = 2 * 8000 * (100 + 552)
  expect(decide(packs, { bytesMax, membersMax: 100_000 })).toEqual([1, 2])
  expect(decide(packs, { bytesMax: bytesMax - 1, membersMax: 100_000 })).toEqual([1])
})

test('without prices, or with no months, only what an operator asked for is replaced', () => {
  const packs = [pack(1, 0.01), pack(2, 0.9, { isAsked: true })]
  expect(decide(packs, { months: 100, prices: undefined })).toEqual([2])
  expect(decide(packs.slice(0, 1), { months: 0 })).toEqual([])
  expect(decide([pack(1, 1, { isAsked: true, livingBytes: 300 * mib })])).toEqual([1])
})
