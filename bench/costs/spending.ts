// Measures what the costs of a long history take: fees, spend limits and settled storage, as before and as now, on the same rows.

import { type Database, database, sqlStatement } from '#kernel'
import { runSql, silentLog, testKernel } from '#kernel/testing'
import { costBook } from '#plugins/costs'
import { paidWork } from '#plugins/replication'
import { type FundingView, type Funds, funds } from '#plugins/wallet'
import { builtinPlugins } from '../../plugins/index.ts'
import { type BenchRow, type BenchTable, median, renderBenchTable } from '../bench-table.ts'

const BATCHES = 100_000
const PIECES_PER_BATCH = 10
const DAYS = 300
const DATA_SETS = 1000
const MONTHS = 10
const RAILS = 5000
const ROUNDS = 15
const dayMs = 86_400_000

const config = { 'server.port': '127.0.0.1:0', 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }
const account = { funds: 10n ** 24n, lockupCurrent: 0n, lockupRate: 0n, lockupLastSettledAt: 1n, epoch: 1n, available: 0n, debt: 0n }
const prices = { storagePerTibPerMonth: 1n, dataSetFeePerMonth: 1n }
const view = { account, prices } as unknown as FundingView
const fakeFunds = { view: async () => view, prices: async () => undefined, forget() {}, canPay: async () => ({ isCovered: true }) }

/** The rows of 1,000,000 copies, and 100,000 payments. */
async function fill(data: Database, wallet: string, nowMs: number): Promise<void> {
  const numbers = (count: number) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  const copies = BATCHES * PIECES_PER_BATCH
  const batchOf = `((i - 1) / ${PIECES_PER_BATCH} + 1)`
  const setOf = (id: string) => `((${id} - 1) % ${DATA_SETS} + 1)`
  const startedAt = `(${nowMs} - (${BATCHES} - i) * ${Math.floor((DAYS * dayMs) / BATCHES)})`
  for (const sql of [
    `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'long', 1, 1, 1, 1)`,
    `insert into price_lists (fingerprint, prices, seen_at) values ('p', '${JSON.stringify({ storagePerTibPerMonth: '1', dataSetFeePerMonth: '1', createDataSetFee: '1', addPiecesBaseFee: '1', addPiecesPerPieceFee: '1', schedulePieceRemovalsFee: '1', terminateFee: '1', lifecycleReserveTarget: '1', replenishThreshold: '1', lockupPeriodEpochs: '1', cdnLockup: '1' })}', 1)`,
    `${numbers(DATA_SETS)} insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id,
       chain_id, state, create_price_list, create_started_at, final_at, created_at, updated_at)
     select i, 1, i, 0, i, '0x', '0x', 'http://127.0.0.1:9', i, i, 'ready', 'p', ${nowMs - DAYS * dayMs}, 1, 1, 1 from n`,
    `${numbers(BATCHES)} insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, submit_started_at, piece_count, price_list,
       landed_epoch, final_at, created_at, updated_at)
     select i, ${setOf('i')}, 'store', 'confirmed', i, '0x', ${startedAt}, ${PIECES_PER_BATCH}, 'p', 1, 1, 1, 1 from n`,
    `${numbers(copies)} insert into contents (id, bucket_id, identity, size, ref_count, target_copies, durable_copies, readable_copies, store_state, created_at, updated_at)
     select i, 1, i, 4096, 1, 1, 1, 1, 'stored', 1, 1 from n`,
    `${numbers(copies)} insert into pieces (id, content_id, part_no, offset_bytes, length, piece_cid) select i, i, 0, 0, 4096, i from n`,
    `${numbers(copies)} insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, batch_id, created_at, updated_at)
     select i, i, i, ${setOf(batchOf)}, 1, 'committed', 'store', i, ${batchOf}, 1, 1 from n`,
    `${numbers(MONTHS * RAILS)} insert into cost_payments (wallet, month, rail_id, kind, payments, amount)
     select '${wallet}', printf('2026-%02d', (i - 1) / ${RAILS} + 1), (i - 1) % ${RAILS}, kind, 3, '123456789012345678'
     from n, (select 'storage' as kind union all select 'one_time')`,
    `insert into cost_sums (wallet, rail_id, kind, amount)
     select wallet, rail_id, kind, '1234567890123456780' from cost_payments group by wallet, rail_id, kind`,
  ])
    await data.write((tx) => runSql(tx, sql))
}

/** The statements of earlier versions. */
const attemptsSince = sqlStatement<{ sinceMs: number }, { additions: number }>(
  `select coalesce(price_list, '') as "priceList", landed, sum(additions) as additions, sum(pieces) as pieces from (
     select price_list, case when state = 'confirmed' then 1 else 0 end as landed, 1 as additions, piece_count as pieces
     from commit_batches where submit_started_at >= :sinceMs and state in ('confirmed', 'submitting', 'submitted', 'uncertain')
       and data_set_id not in (select data_set_id from past_calls)
     union all select create_price_list, 1, 0, 0 from data_sets where create_started_at >= :sinceMs and chain_id is not null) calls
   group by coalesce(price_list, ''), landed`,
)
const allPayments = sqlStatement<{ wallet: string }, { kind: string; amount: string }>(
  'select rail_id as "railId", kind, payments, amount from cost_payments where wallet = :wallet',
)

const settledStorage = sqlStatement<{ wallet: string }, { storage: string }>(
  'select followed_storage as storage from cost_reads where wallet = :wallet',
)

/** Takes about two minutes, and 700 MB of temporary disk space. */
export async function benchSpending(): Promise<BenchTable> {
  await using svc = await testKernel({
    plugins: builtinPlugins,
    config,
    log: silentLog,
    override: [[funds, fakeFunds as unknown as Funds]],
  })
  const data = svc.kernel.get(database)
  const [work, { wallet }] = [svc.kernel.get(paidWork), svc.kernel.get(costBook)]
  const nowMs = Date.now()
  await fill(data, wallet, nowMs)
  const monthMs = Date.UTC(new Date(nowMs).getUTCFullYear(), new Date(nowMs).getUTCMonth(), 1)
  const timed = async (label: string, call: () => Promise<unknown>, rounds = ROUNDS): Promise<BenchRow> => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const startMs = performance.now()
      await call()
      times.push(performance.now() - startMs)
    }
    const note = rounds > 1 ? `longest ${Math.max(...times).toFixed(1)} ms of ${rounds}` : 'once after a start'
    return { label, value: median(times), unit: 'ms', note }
  }
  const sumAll = async () => {
    let sum = 0n
    for (const { kind, amount } of await data.read.all(allPayments, { wallet })) if (kind === 'storage') sum += BigInt(amount)
    return sum
  }
  const limitsBefore = () =>
    data.write(async (tx) => {
      await tx.all(attemptsSince, { sinceMs: Math.floor(nowMs / dayMs) * dayMs })
      return tx.all(attemptsSince, { sinceMs: monthMs })
    })
  const rows = [
    await timed('fees of all calls, before', () => data.read.all(attemptsSince, { sinceMs: 0 })),
    await timed('fees of all calls, now, first', () => work.fees(), 1),
    await timed('fees of all calls, now', () => work.fees()),
    await timed('day and month for the limits, before', limitsBefore),
    await timed('day and month for the limits, now', () => work.limits()),
    await timed('settled storage of all months, before', sumAll),
    await timed('settled storage of all months, now', () => data.read.get(settledStorage, { wallet })),
  ]
  const copies = (BATCHES * PIECES_PER_BATCH).toLocaleString('en')
  return { name: `Costs of ${copies} copies in ${BATCHES.toLocaleString('en')} batches, and 100,000 payments`, rows }
}

if (import.meta.main) process.stdout.write(renderBenchTable(await benchSpending()))
