import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock, openTestDatabase } from '#kernel/testing'
import type { FundingView } from '#plugins/wallet'
import { groupRails, sumRails } from '../cost/sum-costs-policy.ts'
import { costMigrations } from '../migrations.ts'
import { fakeChain, newMoney, signer } from '../testing/fake-chain.ts'
import { type BookedRail, recordBook } from './book-store.ts'
import { createCostBook } from './cost-book.ts'

const buckets = 1000
const copies = 3

const rails: readonly BookedRail[] = Array.from({ length: buckets * copies }, (_, index) => ({
  railId: String(index),
  kind: 'storage',
  chainDataSetId: String(index),
  dataSetId: index,
  bucketId: index % buckets,
  bucket: `bucket-${index % buckets}`,
  isDeleted: false,
  providerId: '1',
  rate: 10n ** 18n + BigInt(index),
  reserve: 5n,
  advance: 7n,
  pending: 0n,
  leaves: 4n,
  endEpoch: 0n,
}))

async function open(view: () => Promise<FundingView | undefined>) {
  const database = await openTestDatabase([{ name: 'costs', migrations: costMigrations }])
  onTestFinished(() => database[Symbol.asyncDispose]())
  const clock = createFakeClock()
  const chain = { ...fakeChain(newMoney(0)), finalEpoch: async () => 10n }
  const never = () => Promise.reject(new Error('the chain was asked'))
  const book = createCostBook({
    database,
    chain,
    signer,
    clock,
    funds: { view, at: never },
    reads: { billingOf: never, leafCount: never },
    paidWork: { dataSets: async () => [] },
  })
  const account = { epoch: 10n, funds: 1000n, lockupCurrent: 100n, lockupRate: 3n, lockupLastSettledAt: 10n, prices: '{}' }
  const record = () => database.write((tx) => recordBook(tx, book.wallet, { account, rails, nowMs: clock.now() }))
  return { book, clock, record, database }
}

test('the costs of 1,000 buckets are sums of rows, exact above 2^63, and ask no chain', async () => {
  const { book, record } = await open(() => Promise.reject(new Error('the chain was asked')))
  await record()
  const found = await book.rails()
  const { rate } = sumRails(found)
  expect(rate).toBe(3000n * 10n ** 18n + (2999n * 3000n) / 2n)
  expect(groupRails(found).buckets).toHaveLength(buckets)
  expect(await book.railsOf(7)).toHaveLength(copies)
  expect((await book.book()).known).toMatchObject({ runwaySeconds: 9000 })
})

test('rows that did not change are not written again, and rails that are gone have no costs', async () => {
  const { book, record, database, clock } = await open(async () => undefined)
  await record()
  await database.write((tx) =>
    recordBook(tx, book.wallet, {
      account: { epoch: 11n, funds: 1n, lockupCurrent: 0n, lockupRate: 0n, lockupLastSettledAt: 11n, prices: '{}' },
      rails: rails.slice(0, 2),
      nowMs: clock.now(),
    }),
  )
  expect((await book.rails()).map(({ railId }) => railId).sort()).toEqual(['0', '1'])
})

test('a node that never answers ends the read after its deadline, and the last costs stay with the failure', async () => {
  const { book, clock, record } = await open(() => new Promise(() => {}))
  await record()
  const refreshed = book.refresh({ isForced: true })
  await clock.advance(120_000)
  await refreshed
  expect(await book.book()).toMatchObject({
    read: { failure: 'timeout' },
    known: { account: { lockupRate: 3n }, runwaySeconds: 9000 - 120 },
  })
})
