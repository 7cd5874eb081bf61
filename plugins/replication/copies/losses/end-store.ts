import type { Params, Reader, Tx } from '#kernel'
import { endRemovals } from '../../holdings/open-removals-store.ts'
import { statement } from '../../tables.ts'

interface AtEnd {
  readonly dataSetId: number
  readonly nowMs: number
}

const closeUnsent = statement((db, { dataSetId, nowMs }: Params<AtEnd>) =>
  db
    .updateTable('commit_batches')
    .set({ state: 'closed', attention_at: null, attention_code: null, last_error: 'the data set ended', updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', 'in', ['pulling', 'ready']),
)

/** Copies in a batch that was sent are left out. */
const loseUnsent = statement((db, { dataSetId, nowMs }: Params<AtEnd>) =>
  db
    .updateTable('copies')
    .set({ state: 'lost', batch_id: null, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where((copy) =>
      copy.or([
        copy('state', 'in', ['planned', 'parked']),
        copy.and([
          copy('state', 'in', ['transferring', 'batched', 'attention']),
          copy.or([
            copy('batch_id', 'is', null),
            copy('batch_id', 'in', db.selectFrom('commit_batches').select('id').where('state', '=', 'closed')),
          ]),
        ]),
      ]),
    ),
)

interface Page {
  readonly after: number
  readonly limit: number
}

const findAffected = statement((db, { dataSetId, after, limit }: Params<Page & { dataSetId: number }>) =>
  db
    .selectFrom('copies')
    .select((copy) => [
      'content_id as id',
      copy.fn.max(copy.case().when('state', '=', 'committed').then(1).else(0).end()).as('isCommitted'),
    ])
    .where('data_set_id', '=', dataSetId)
    .where('content_id', '>', after)
    .groupBy('content_id')
    .orderBy('content_id')
    .limit(limit),
)

const loseCommitted = statement((db, { dataSetId, nowMs }: Params<AtEnd>) =>
  db.updateTable('copies').set({ state: 'lost', updated_at: nowMs }).where('data_set_id', '=', dataSetId).where('state', '=', 'committed'),
)

/** The data set takes no more pieces: unsent copies are lost, unsent batches closed. Sent batches are followed to their end. */
export async function endWrites(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  await tx.run(closeUnsent, { dataSetId, nowMs })
  await tx.run(loseUnsent, { dataSetId, nowMs })
}

/** Contents with a copy on the data set, by id. */
interface AffectedContent {
  readonly id: number
  readonly isCommitted: boolean
}

export async function affectedContents(reader: Reader, dataSetId: number, page: Page): Promise<readonly AffectedContent[]> {
  return (await reader.all(findAffected, { dataSetId, ...page })).map(({ id, isCommitted }) => ({ id, isCommitted: isCommitted === 1 }))
}

/** The data set is lost with its committed copies. */
export async function markCopiesLost(tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  await tx.run(loseCommitted, { dataSetId, nowMs })
  // The copies may be deleted from now on and their ids reused: no open removal may refer to one.
  await endRemovals(tx, dataSetId, nowMs)
}
