import { expect, test } from 'vitest'
import { sqlStatement, type Tx } from '#kernel'
import { getRow, runSql } from '#kernel/testing'
import { costPolicy, type FundingView, type PriceList } from '#plugins/wallet'
import { writeLimited, writePriced } from '../datasets/price-list-store.ts'
import type { Pipeline } from '../pipeline.ts'
import { openStorageRows, rowsNowMs } from '../testing/storage-rows.ts'
import { createTestPipeline } from '../testing/test-pipeline.ts'
import { openSpendCheck, usesOf, whyUnpaid } from './spend-limits.ts'

const policy = await costPolicy()
const milli = 10n ** 15n
const prices: PriceList = {
  storagePerTibPerMonth: 0n,
  dataSetFeePerMonth: 0n,
  createDataSetFee: 25n * milli,
  addPiecesBaseFee: 8n * milli,
  addPiecesPerPieceFee: 2n * milli,
  schedulePieceRemovalsFee: 7n * milli,
  terminateFee: 6n * milli,
  lifecycleReserveTarget: 0n,
  replenishThreshold: 0n,
  lockupPeriodEpochs: 86_400n,
  cdnLockup: 0n,
}
const view = {
  account: policy.settleAccount({ funds: 10n ** 20n, lockupCurrent: 0n, lockupRate: 0n, lockupLastSettledAt: 1n }, 1n),
  prices,
} as unknown as FundingView

/** One piece costs 0.01 USDFC. */
const addition = { dataSets: 0, pieces: 1, bytes: 1000, heldBytes: 1 }

async function open(limits: Partial<Pick<Pipeline['settings'], 'spend_limit_daily' | 'spend_limit_monthly'>>) {
  const rows = await openStorageRows()
  const pipeline = createTestPipeline(rows)
  pipeline.world.prices = policy.namePrices(prices)
  const deps: Pipeline = {
    ...pipeline,
    settings: { with_cdn: false, ...limits } as Pipeline['settings'],
    funds: { ...pipeline.funds, view: async () => view },
  }
  let nonces = 0
  const record = async (tx: Tx, priceList: string | null) => {
    const insert = sqlStatement<{ nonce: string; priceList: string | null; nowMs: number }>(
      `insert into commit_batches (data_set_id, method, state, nonce, extra_data, submit_started_at, piece_count, price_list, created_at, updated_at)
       values ((select min(id) from data_sets), 'store', 'submitting', :nonce, '0x', :nowMs, 1, :priceList, 1, 1)`,
    )
    await tx.run(insert, { nonce: `n${++nonces}`, priceList, nowMs: deps.clock.now() })
    return true
  }
  await rows.addDataSet()
  const { clock } = pipeline
  return { rows, deps, clock, record, [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose]() }
}

const spent = async ({ rows }: { readonly rows: Awaited<ReturnType<typeof openStorageRows>> }) =>
  (await getRow(rows.database.read, 'select count(*) as n from commit_batches'))?.n

test('I-52: of many tasks that record paid work at once, only those within the limit do, and none waits in vain', async () => {
  await using scene = await open({ spend_limit_daily: '0.035' })
  const { deps, record } = scene
  const results = await Promise.all(Array.from({ length: 8 }, () => writeLimited(deps, addition, record)))
  expect(results.filter((isRecorded) => isRecorded)).toHaveLength(3)
  expect(await spent(scene)).toBe(3)
  expect(await whyUnpaid(deps, addition)).toMatchObject({ reason: 'spend_limit' })
})

test('removals and ends are recorded above the limit', async () => {
  await using scene = await open({ spend_limit_daily: '0.001', spend_limit_monthly: '0.001' })
  expect(await writeLimited(scene.deps, addition, scene.record)).toBeUndefined()
  expect(await writePriced(scene.deps, scene.record)).toBe(true)
})

test('the fees of a day end with it, and those of a month count until its end', async () => {
  await using scene = await open({ spend_limit_daily: '0.01', spend_limit_monthly: '0.02' })
  const { deps, clock, record } = scene
  const passTo = (ms: number) => clock.advance(ms - clock.now())
  expect(await writeLimited(deps, addition, record)).toBe(true)
  expect(await whyUnpaid(deps, addition)).toMatchObject({ message: expect.stringContaining('chain.spend_limit_daily') })
  await passTo(nextUtc('day'))
  expect(await writeLimited(deps, addition, record)).toBe(true)
  await passTo(nextUtc('day') + 86_400_000)
  expect(await whyUnpaid(deps, addition)).toMatchObject({ message: expect.stringContaining('chain.spend_limit_monthly') })
  await passTo(nextUtc('month'))
  expect(await whyUnpaid(deps, addition)).toBeUndefined()
})

/** An addition of one piece of 1,000 MiB to an empty data set, undecided, and its rate per epoch. */
async function undecidedAddition({ rows, deps }: Awaited<ReturnType<typeof open>>) {
  const dataSet = await rows.addDataSet()
  const content = await rows.addContent()
  const copyId = await rows.addCopy(content, dataSet, 'batched')
  const length = 1000 * 1024 ** 2
  await rows.database.write(async (tx) => {
    await runSql(tx, 'update pieces set length = ? where id = ?', length, content.pieceId)
    await runSql(
      tx,
      `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, submit_started_at, piece_count, created_at, updated_at)
       values (77, ?, 'store', 'submitting', 'n77', '0x', ?, 1, 1, 1)`,
      dataSet.id,
      deps.clock.now(),
    )
    await runSql(tx, "insert into commit_items (batch_id, ordinal, copy_id, piece_cid) values (77, 0, ?, 'cid')", copyId)
    await runSql(tx, 'update copies set batch_id = 77 where id = ?', copyId)
  })
  const land = (epoch: bigint) =>
    rows.database.write(async (tx) => {
      await runSql(tx, "update commit_batches set state = 'confirmed', landed_epoch = ? where id = 77", Number(epoch))
      await runSql(tx, "update copies set state = 'committed', chain_piece_id = '1' where id = ?", copyId)
    })
  return { land, rate: policy.storageRatePerEpoch(BigInt(length), storagePrices) }
}

const storagePrices = { ...prices, storagePerTibPerMonth: 25n * 10n ** 17n, dataSetFeePerMonth: 24n * milli }
const viewAt = (epoch: bigint, lockupRate = 0n): FundingView =>
  ({
    account: policy.settleAccount({ funds: 10n ** 20n, lockupCurrent: 0n, lockupRate, lockupLastSettledAt: epoch }, epoch),
    prices: storagePrices,
  }) as unknown as FundingView

test('I-52: an addition is counted once: undecided, landed after the account was read, and in the account', async () => {
  await using scene = await open({ spend_limit_daily: '1' })
  const { land, rate } = await undecidedAddition(scene)
  const { deps, rows } = scene
  const storage = async (view: FundingView) => (await usesOf(deps, rows.database.read, { view, policy }))[0]?.storage
  const once = rate * policy.epochsPerDay
  expect(await storage(viewAt(100n))).toBe(once)
  await land(101n)
  expect(await storage(viewAt(100n))).toBe(once)
  expect(await storage(viewAt(101n, rate))).toBe(once)
})

test('I-52: an addition that lands between the read of the account and the transaction is in the compared limits', async () => {
  await using scene = await open({})
  const { land, rate } = await undecidedAddition(scene)
  const { fees, rateIncreasePerEpoch } = policy.estimateAdditions(policy.toAdditions(addition, false), storagePrices, viewAt(100n).account)
  const [first, second] = [rate * policy.epochsPerDay, fees + rateIncreasePerEpoch * policy.epochsPerDay]
  const checkWithin = (limit: bigint) => {
    const settings = { ...scene.deps.settings, spend_limit_daily: policy.formatUsdfc(limit) }
    return openSpendCheck({ ...scene.deps, settings, funds: { ...scene.deps.funds, view: async () => viewAt(100n) } }, addition)
  }
  const [tooLow, enough] = [await checkWithin(first + second - 1n), await checkWithin(first + second)]
  await land(101n)
  expect(await scene.rows.database.write(async (tx) => tooLow?.(tx))).toContain('chain.spend_limit_daily')
  expect(await scene.rows.database.write(async (tx) => enough?.(tx))).toBeUndefined()
})

const date = new Date(rowsNowMs)
const nextUtc = (period: 'day' | 'month') =>
  period === 'day'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
