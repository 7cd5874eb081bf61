import { expect, test } from 'vitest'
import type { PaidDataSet } from '#plugins/replication'
import type { Rail } from '../chain/rails.ts'
import { bookRails, type ChainBilling } from './book-rails-policy.ts'

const rail = (id: bigint, more: Partial<Rail> = {}): Rail => ({
  id,
  rate: 5n,
  lockupPeriod: 100n,
  lockupFixed: 40n,
  settledUpTo: 10n,
  endEpoch: 0n,
  ...more,
})
const billing = (dataSetId: bigint, storage: bigint, cdn: readonly bigint[] = []): ChainBilling => ({
  dataSetId,
  providerId: 9n,
  rails: { storage, cdn },
  pending: 3n,
})
const known: PaidDataSet = { id: 7, bucketId: 1, bucketName: 'photos', isDeleted: false, chainId: '70', providerId: '9' }
const facts = { epoch: 50n, leaves: new Map([[70n, 32n]]), dataSets: [known], earlier: new Map() }

test('rails are for the bucket of their data set, also those for CDN retrieval; all others are foreign', () => {
  const rails = [rail(1n), rail(2n), rail(3n), rail(4n)]
  const booked = bookRails({ ...facts, rails, billing: [billing(70n, 1n, [2n]), billing(80n, 3n)] })
  expect(booked.map(({ railId, kind, bucket, leaves, pending }) => [railId, kind, bucket, leaves, pending])).toEqual([
    ['1', 'storage', 'photos', 32n, 3n],
    ['2', 'cdn', 'photos', 0n, 0n],
    ['3', 'other', null, 0n, 3n],
    ['4', 'other', null, 0n, 0n],
  ])
})

test('the rail of a deleted bucket keeps the name that the bucket had', () => {
  const book = (dataSet: PaidDataSet, earlier = new Map()) =>
    bookRails({ ...facts, dataSets: [dataSet], earlier, rails: [rail(1n)], billing: [billing(70n, 1n)] })
  const deleted = { ...known, bucketName: 'deleted/1', isDeleted: true }
  const [before] = book(known)
  expect(book(deleted, new Map([['1', before]]))).toMatchObject([{ bucket: 'photos', bucketId: 1, isDeleted: true }])
  expect(book(deleted)).toMatchObject([{ bucket: 'deleted/1', isDeleted: true }])
})

test('a rail stays with its bucket when the chain and the records no longer have the data set', () => {
  const [before] = bookRails({ ...facts, rails: [rail(1n)], billing: [billing(70n, 1n)] })
  const earlier = new Map(before ? [['1', before]] : [])
  expect(bookRails({ ...facts, dataSets: [], earlier, rails: [rail(1n)], billing: [] })).toMatchObject([
    { kind: 'storage', bucket: 'photos', bucketId: 1, dataSetId: 7, isDeleted: true, chainDataSetId: '70', providerId: '9' },
  ])
})

test.each<[what: string, rail: Partial<Rail>, rate: bigint, advance: bigint]>([
  ['runs: the lockup period', {}, 5n, 500n],
  ['ends later: the epochs until then', { endEpoch: 60n }, 0n, 50n],
  ['ends later and was settled ahead: those that are not settled', { endEpoch: 60n, settledUpTo: 58n }, 0n, 10n],
  ['has ended: nothing, because all of it is due', { endEpoch: 50n }, 0n, 0n],
])('the advance of a rail that %s', (_what, more, rate, advance) => {
  expect(bookRails({ ...facts, rails: [rail(1n, more)], billing: [] })).toMatchObject([{ rate, advance, reserve: 40n }])
})
