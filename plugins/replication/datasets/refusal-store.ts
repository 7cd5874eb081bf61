import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'
import type { DataSet } from './data-set-store.ts'
import { refusalWindowMs } from './refusal-policy.ts'

interface DataSetRefusals {
  /** Refusals in a row. */
  readonly refusals: number
  readonly writesPausedUntilMs: number | null
  /** The provider takes no pulls before this time. */
  readonly pullsThrottledUntilMs: number | null
}

type OfDataSet<P = Record<never, never>> = Params<P & { dataSetId: number }>

const find = statement((db, { dataSetId }: OfDataSet) =>
  db
    .selectFrom('data_sets')
    .select(['refusals', 'writes_paused_until as writesPausedUntilMs', 'pulls_throttled_until as pullsThrottledUntilMs'])
    .where('id', '=', dataSetId),
)

const count = statement((db, { dataSetId }: OfDataSet) =>
  db
    .updateTable('data_sets')
    .set((row) => ({ refusals: row('refusals', '+', 1) }))
    .where('id', '=', dataSetId)
    .returning('refusals'),
)

const dropOld = statement((db, { untilMs }: Params<{ untilMs: number }>) => db.deleteFrom('provider_refusals').where('at', '<=', untilMs))

const add = statement((db, { providerId, nowMs }: Params<{ providerId: string; nowMs: number }>) =>
  db.insertInto('provider_refusals').values({ provider_id: providerId, at: nowMs }),
)

const pause = statement((db, { dataSetId, untilMs, message }: OfDataSet<{ untilMs: number; message: string }>) =>
  db
    .updateTable('data_sets')
    .set({ writes_paused_until: untilMs, last_error_code: 'data_set_refused', last_error: message })
    .where('id', '=', dataSetId),
)

const forget = statement((db, { dataSetId }: OfDataSet) =>
  db
    .updateTable('data_sets')
    .set({ refusals: 0, writes_paused_until: null, last_error_code: null, last_error: null })
    .where('id', '=', dataSetId)
    .where('refusals', '>', 0),
)

const findOfProvider = statement((db, { providerId }: Params<{ providerId: string }>) =>
  db.selectFrom('provider_refusals').select('at').where('provider_id', '=', providerId).orderBy('at').orderBy('id'),
)

const throttle = statement((db, { dataSetId, untilMs }: OfDataSet<{ untilMs: number }>) =>
  db.updateTable('data_sets').set({ pulls_throttled_until: untilMs }).where('id', '=', dataSetId),
)

const findUnsentContents = statement((db, { dataSetId, limit }: OfDataSet<{ limit: number }>) =>
  db
    .selectFrom('copies as c')
    .leftJoin('commit_batches as b', 'b.id', 'c.batch_id')
    .select('c.content_id as id')
    .distinct()
    .where('c.data_set_id', '=', dataSetId)
    .where((row) =>
      row.or([
        row('c.state', 'in', ['planned', 'parked']),
        row.and([
          row('c.state', 'in', ['transferring', 'batched', 'attention']),
          row.or([row('b.id', 'is', null), row('b.state', 'in', ['pulling', 'ready'])]),
        ]),
      ]),
    )
    .orderBy('c.content_id')
    .limit(limit),
)

const findUnsent = statement((db, { dataSetId, dataSetState }: OfDataSet<{ dataSetState: string }>) =>
  db
    .selectFrom('commit_batches')
    .select('id')
    .where('data_set_id', '=', dataSetId)
    // The condition of the partial index.
    .where('state', 'not in', ['confirmed', 'closed'])
    .where('state', 'in', ['pulling', 'ready'])
    .unionAll(
      db
        .selectFrom('copies')
        .select('id')
        .where('data_set_id', '=', dataSetId)
        .where((row) =>
          row.or([
            row('state', 'in', ['planned', 'parked']),
            row.and([row('state', '=', 'transferring'), row('batch_id', 'is', null)]),
            row.and([row('state', '=', 'committed'), row(dataSetState, '=', 'lost')]),
          ]),
        ),
    )
    .limit(1),
)

export async function readRefusals(reader: Reader, dataSetId: number): Promise<DataSetRefusals> {
  return (await reader.get(find, { dataSetId })) ?? { refusals: 0, writesPausedUntilMs: null, pullsThrottledUntilMs: null }
}

/** No request to the data set before this time; 0 when it is not paused. */
export const pausedUntilMs = async (reader: Reader, dataSetId: number): Promise<number> =>
  (await readRefusals(reader, dataSetId)).writesPausedUntilMs ?? 0

/** Counts one more refused request in a row. Returns the count. */
export async function countSetback(tx: Tx, dataSetId: number): Promise<number> {
  return (await tx.get(count, { dataSetId }))?.refusals ?? 0
}

/** Records that the provider refused the data set. Returns the number of refusals in a row. */
export async function countRefusal(tx: Tx, { id, providerId }: Pick<DataSet, 'id' | 'providerId'>, nowMs: number): Promise<number> {
  await tx.run(dropOld, { untilMs: nowMs - refusalWindowMs })
  await tx.run(add, { providerId, nowMs })
  return countSetback(tx, id)
}

export async function pauseWrites(
  tx: Tx,
  dataSetId: number,
  { untilMs, message }: { readonly untilMs: number; readonly message: string },
): Promise<void> {
  await tx.run(pause, { dataSetId, untilMs, message })
}

/** The provider accepts writes to the data set again. */
export async function forgetRefusals(tx: Tx, dataSetId: number): Promise<void> {
  await tx.run(forget, { dataSetId })
}

/** Times of the provider's latest refusals, oldest first. */
export async function providerRefusals(reader: Reader, providerId: string): Promise<readonly number[]> {
  return (await reader.all(findOfProvider, { providerId })).map(({ at }) => at)
}

/** Records that the provider takes no pulls before `untilMs`. */
export async function throttlePulls(tx: Tx, dataSetId: number, untilMs: number): Promise<void> {
  await tx.run(throttle, { dataSetId, untilMs })
}

/** Contents with copies on the data set that were not sent, or did not land. */
export async function unsentContents(reader: Reader, dataSetId: number, limit: number): Promise<readonly number[]> {
  return (await reader.all(findUnsentContents, { dataSetId, limit })).map(({ id }) => id)
}

/** Whether an ended data set has unsent batches or copies or, when it is lost, committed copies. */
export async function hasUnsent(reader: Reader, { id, state }: Pick<DataSet, 'id' | 'state'>): Promise<boolean> {
  return (await reader.get(findUnsent, { dataSetId: id, dataSetState: state })) !== undefined
}
