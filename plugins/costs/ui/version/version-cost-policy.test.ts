import { expect, test } from 'vitest'
import { costOf, type StoredPiece } from './version-cost-policy.ts'

const day = 24 * 3_600_000
const start = Date.parse('2026-03-01T00:00:00Z')
const piece = (copy_index: number, change: Partial<StoredPiece> = {}): StoredPiece => ({
  copy_index,
  local_data_set_id: copy_index + 1,
  size: 1000,
  status: 'committed',
  committed_at: '2026-03-01T00:00:00Z',
  ...change,
})
type DataSets = Parameters<typeof costOf>[1]['data_sets']
const sets = (...billed: readonly (string | null)[]) =>
  billed.map((billed_bytes, index) => ({ id: index + 1, rate: { per_month: '9000000000000000001' }, billed_bytes })) as unknown as DataSets

test('a copy costs its share of the rate, to the last unit, for as long as it is stored', () => {
  const cost = costOf([piece(1), piece(0)], { data_sets: sets('3000', '9000') }, start + 15 * day)
  expect(cost).toEqual({
    copies: [
      { copyIndex: 0, perMonth: 3_000_000_000_000_000_000n, soFar: 1_500_000_000_000_000_000n },
      { copyIndex: 1, perMonth: 1_000_000_000_000_000_000n, soFar: 500_000_000_000_000_000n },
    ],
    perMonth: 4_000_000_000_000_000_000n,
    soFar: 2_000_000_000_000_000_000n,
    unread: 0,
  })
})

test('pieces that are not stored cost nothing, and those without a read rate are counted apart', () => {
  const pieces = [piece(0, { status: 'committing' }), piece(1), piece(2), piece(3)]
  expect(costOf(pieces, { data_sets: sets('3000', null, '0') }, start)).toEqual({ copies: [], perMonth: 0n, soFar: 0n, unread: 3 })
})

test('the parts of a large object add up, a padded piece costs no more than the rate, and a clock behind the chain adds nothing', () => {
  const pieces = [piece(0), piece(0, { size: 2000 }), piece(1, { size: 99 })]
  const { copies } = costOf(pieces, { data_sets: sets('3000', '64') }, start - day)
  expect(copies.map(({ perMonth, soFar }) => [perMonth, soFar])).toEqual([
    [9_000_000_000_000_000_000n, 0n],
    [9_000_000_000_000_000_001n, 0n],
  ])
})
