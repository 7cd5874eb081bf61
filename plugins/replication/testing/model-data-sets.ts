import type { Tx } from '#kernel'
import { runSql } from '#kernel/testing'
import { pieceBytesMax } from '#plugins/providers'
import { allDataSets, planDataSet } from '../datasets/data-set-store.ts'
import type { DataSetState } from '../states/tables/data-set-transitions-policy.ts'
import type { ModelChain } from './model-chain.ts'
import { rowStates } from './storage-rows.ts'

/** Rows that refer to others come first. */
const tables =
  `removals removal_attempts commit_items copies commit_batches replica_slots data_set_totals data_sets provider_refusals pieces
  cache_entries contents buckets`.split(/\s+/)

/** State on chain of a data set in this local state; absent: live. */
export const chainStates: Partial<Record<DataSetState, 'terminated' | 'deleted'>> = {
  write_blocked: 'terminated',
  retiring: 'terminated',
  lost: 'deleted',
  retired: 'deleted',
}

/** Empties the database and inserts a bucket with a data set in `state` and a ready one. On chain both are live and final. */
export async function seedDataSets(
  tx: Tx,
  chain: ModelChain,
  { state, nowMs }: { readonly state: DataSetState; readonly nowMs: number },
): Promise<{ readonly tested: number; readonly healthy: number }> {
  for (const table of tables) await runSql(tx, `delete from ${table}`)
  await runSql(
    tx,
    `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'photos', 2, 1, 0, 0)`,
  )
  for (const slot of [0, 1]) {
    const { address: providerAddress, ...place } = choice(slot)
    const plan = { bucketId: 1, slot, providerId: String(slot), providerAddress, ...place, clientDataSetId: BigInt(slot + 1) }
    await planDataSet(rowStates(nowMs), tx, plan)
  }
  const [tested, healthy] = (await allDataSets(tx, 1)).map(({ id }) => id) as [number, number]
  const hasChainId = state !== 'planned' && state !== 'creating'
  await runSql(tx, 'update data_sets set state = ?, chain_id = ? where id = ?', state, hasChainId ? '100' : null, tested)
  await runSql(tx, "update data_sets set state = 'ready', chain_id = '101' where id = ?", healthy)
  if (state === 'creating')
    await runSql(tx, "update data_sets set create_extra_data = '0x', create_started_at = ? where id = ?", nowMs, tested)
  if (hasChainId) chain.create(100n, 1n)
  chain.create(101n, 2n)
  chain.begin()
  return { tested, healthy }
}

export const choice = (index: number) =>
  ({
    isEndorsed: true,
    latencyMs: 1,
    address: `0x${index}`,
    payee: '0x9',
    serviceUrl: `http://provider-${index}`,
    pieceBytesMax,
  }) as const
