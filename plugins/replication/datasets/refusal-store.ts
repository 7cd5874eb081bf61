import type { Reader, Tx } from '#kernel'
import type { DataSet } from './data-set-store.ts'
import { refusalWindowMs } from './refusal-policy.ts'

interface DataSetRefusals {
  /** Refusals in a row. */
  readonly refusals: number
  readonly writesPausedUntilMs: number | null
}

export async function readRefusals(reader: Reader, dataSetId: number): Promise<DataSetRefusals> {
  const row = reader.get<DataSetRefusals>(
    'select refusals, writes_paused_until as "writesPausedUntilMs" from data_sets where id = ?',
    dataSetId,
  )
  return row ?? { refusals: 0, writesPausedUntilMs: null }
}

/** No request to the data set before this time; 0 when it is not paused. */
export const pausedUntilMs = async (reader: Reader, dataSetId: number): Promise<number> =>
  (await readRefusals(reader, dataSetId)).writesPausedUntilMs ?? 0

/** Counts one more refused request in a row. Returns the count. */
export async function countSetback(tx: Tx, dataSetId: number): Promise<number> {
  tx.run('update data_sets set refusals = refusals + 1 where id = ?', dataSetId)
  return (await readRefusals(tx, dataSetId)).refusals
}

/** Records that the provider refused the data set. Returns the number of refusals in a row. */
export async function countRefusal(tx: Tx, { id, providerId }: Pick<DataSet, 'id' | 'providerId'>, nowMs: number): Promise<number> {
  tx.run('delete from provider_refusals where at <= ?', nowMs - refusalWindowMs)
  tx.run('insert into provider_refusals (provider_id, at) values (?, ?)', providerId, nowMs)
  return await countSetback(tx, id)
}

export async function pauseWrites(
  tx: Tx,
  dataSetId: number,
  { untilMs, message }: { readonly untilMs: number; readonly message: string },
): Promise<void> {
  tx.run(
    "update data_sets set writes_paused_until = ?, last_error_code = 'data_set_refused', last_error = ? where id = ?",
    untilMs,
    message,
    dataSetId,
  )
}

/** The provider accepts writes to the data set again. */
export async function forgetRefusals(tx: Tx, dataSetId: number): Promise<void> {
  tx.run(
    'update data_sets set refusals = 0, writes_paused_until = null, last_error_code = null, last_error = null where id = ? and refusals > 0',
    dataSetId,
  )
}

/** Times of the provider's latest refusals, oldest first. */
export async function providerRefusals(reader: Reader, providerId: string): Promise<readonly number[]> {
  return reader
    .all<{ at: number }>('select at from provider_refusals where provider_id = ? order by at, id', providerId)
    .map(({ at }) => at)
}

/** Records that the provider takes no pulls before `untilMs`. */
export async function throttlePulls(tx: Tx, dataSetId: number, untilMs: number): Promise<void> {
  tx.run('update data_sets set pulls_throttled_until = ? where id = ?', untilMs, dataSetId)
}

export async function pullsThrottledUntilMs(reader: Reader, dataSetId: number): Promise<number | null> {
  return reader.get<{ at: number | null }>('select pulls_throttled_until as at from data_sets where id = ?', dataSetId)?.at ?? null
}

/** Contents with copies on the data set that were not sent, or did not land. */
export async function unsentContents(reader: Reader, dataSetId: number, limit: number): Promise<readonly number[]> {
  return reader
    .all<{ id: number }>(
      `select distinct c.content_id as id from copies c left join commit_batches b on b.id = c.batch_id
       where c.data_set_id = ? and (c.state in ('planned', 'parked') or (c.state in ('transferring', 'batched', 'attention')
         and (b.id is null or b.state in ('pulling', 'ready')))) order by c.content_id limit ?`,
      dataSetId,
      limit,
    )
    .map(({ id }) => id)
}

export const hasCommitted = async (reader: Reader, dataSetId: number): Promise<boolean> =>
  reader.get("select 1 from copies where data_set_id = ? and state = 'committed'", dataSetId) !== undefined

/** Whether an ended data set has unsent batches or copies or, when it is lost, committed copies. */
export async function hasUnsent(reader: Reader, { id, state }: Pick<DataSet, 'id' | 'state'>): Promise<boolean> {
  const found = reader.get(
    `select 1 from commit_batches where data_set_id = ? and state in ('pulling', 'ready')
     union all select 1 from copies where data_set_id = ? and (state in ('planned', 'parked') or (state = 'transferring' and batch_id is null)
       or (state = 'committed' and ? = 'lost')) limit 1`,
    id,
    id,
    state,
  )
  return found !== undefined
}
