/** The only writer of `copies.state`. */
import { type Expression, type ExpressionBuilder, type QueryCreator, sql } from 'kysely'
import { type Params, sqlStatement, type Tx } from '#kernel'
import { type ReplicationTables, statement } from '../tables.ts'
import { type CopyEventName, type CopyState, copyEvent, copyEvents } from './tables/copy-transitions-policy.ts'
import { statesThatTakePieces } from './tables/data-set-transitions-policy.ts'
import { ofEach } from './tables/transition.ts'

/** The copies that an event may change. */
export type CopyPlace =
  | {
      readonly ids: readonly number[]
      /** Only while this batch, or with null none, has the copy (I-25). */
      readonly batchId?: number | null
      /** Only after the end of the upload: a copy that is uploaded again is left out (I-25). */
      readonly isUploaded?: true
    }
  | { readonly batchId: number }
  | { readonly dataSetId: number }
  | { readonly contentIds: readonly number[] }

/** What an event needs to know besides the copies. */
export interface CopyDetails {
  /** Why the copy starts over. */
  readonly code?: string
  readonly message?: string
  /** Absent: it starts over at once, as after a crash, and no setback is counted. */
  readonly retryAtMs?: number
  /** The batch that takes the copy. */
  readonly into?: number
  /** First piece id of the batch that landed: ids follow the order of its items. */
  readonly firstPieceId?: bigint
}

export interface ChangedCopy {
  readonly id: number
  readonly contentId: number
  readonly dataSetId: number
  /** Before the event. */
  readonly state: CopyState
}

/** Copies of a data set that are changed at once. */
const copiesPerPage = 5000

const isHeld = (copy: ExpressionBuilder<ReplicationTables, 'copies'>) =>
  copy.exists(
    copy
      .selectFrom('commit_batches as b')
      .select('b.id')
      .whereRef('b.id', '=', 'copies.batch_id')
      .where('b.state', 'not in', ['confirmed', 'closed']),
  )

const copiesIn = (db: QueryCreator<ReplicationTables>, from: Expression<CopyState>) =>
  db
    .selectFrom('copies')
    .select(['id', 'content_id as contentId', 'data_set_id as dataSetId', 'state', 'batch_id as batchId', 'uploaded_at as uploadedAtMs'])
    .select((copy) => isHeld(copy).as('isHeld'))
    .where('state', 'in', from)

type From<P> = Params<P & { from: readonly CopyState[] }>
const findByIds = statement((db, { ids, from }: From<{ ids: readonly number[] }>) => copiesIn(db, from).where('id', 'in', ids).forUpdate())
const findInBatch = statement((db, { batchId, from }: From<{ batchId: number }>) =>
  copiesIn(db, from).where('batch_id', '=', batchId).forUpdate(),
)
const findOfContents = statement((db, { contentIds, from }: From<{ contentIds: readonly number[] }>) =>
  copiesIn(db, from).where('content_id', 'in', contentIds).forUpdate(),
)
const findFreeOfDataSet = statement((db, { dataSetId, from, limit }: From<{ dataSetId: number; limit: number }>) =>
  copiesIn(db, from)
    .where('data_set_id', '=', dataSetId)
    .where((copy) => copy.not(isHeld(copy)))
    .limit(limit)
    .forUpdate(),
)

interface Given {
  readonly ids: readonly number[]
  readonly nowMs: number
  readonly into: number | null
  readonly firstPieceId: bigint | null
  readonly code: string | null
  readonly message: string | null
  readonly setbacks: number
  readonly retryAtMs: number
}
type Columns = (given: Params<Given>) => object

const noError = { last_error_code: null, last_error: null }
const park: Columns = ({ nowMs }) => ({ parked_at: nowMs, batch_id: null, ...noError })
const join =
  (method: 'store' | 'pull'): Columns =>
  ({ into }) => ({ method, batch_id: into })
const startOver: Columns = ({ setbacks, retryAtMs, code, message }) => ({
  method: 'pull',
  uploaded_at: null,
  parked_at: null,
  batch_id: null,
  setbacks: sql`setbacks + ${setbacks}`,
  next_attempt_at: retryAtMs,
  last_error_code: code,
  last_error: message,
})
/** Numbers of the chain are stored as text. */
const land: Columns = ({ nowMs, into, firstPieceId }) => ({
  batch_id: into,
  chain_piece_id: sql`(select cast(cast(${firstPieceId} as bigint) + i.ordinal as text) from commit_items i
    where i.batch_id = cast(${into} as bigint) and i.copy_id = copies.id)`,
  committed_at: nowMs,
  ...noError,
})

const columnsOf: Readonly<Partial<Record<CopyEventName, Columns>>> = {
  upload_begun: () => ({ method: 'store', uploaded_at: null }),
  pull_recorded: join('pull'),
  batched: join('store'),
  pulled: ({ nowMs }) => ({ parked_at: nowMs }),
  stored: park,
  withdrawn: park,
  released: park,
  upload_failed: startOver,
  pull_failed: startOver,
  withdrawn_gone: startOver,
  released_gone: startOver,
  committed: land,
  adopted: land,
  rolled_back: ({ message }) => ({ chain_piece_id: null, committed_at: null, last_error_code: 'reorganised', last_error: message }),
  data_set_ended: () => ({ batch_id: null }),
  piece_lost: (given) => ({ ...startOver(given), chain_piece_id: null, committed_at: null }),
}

const changeBy = (name: CopyEventName) =>
  statement((db, given: Params<Given>) =>
    db
      .updateTable('copies')
      .set({ ...columnsOf[name]?.(given), state: copyEvent(name).to, updated_at: given.nowMs })
      .where('id', 'in', given.ids),
  )
const changes = ofEach(copyEvents, changeBy)

interface NewCopies {
  readonly pieceId: number
  readonly contentId: number
  readonly dataSetIds: readonly number[]
  readonly nowMs: number
}

const findLive = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.selectFrom('contents').select('id').where('id', '=', contentId).where('state', '=', 'live'),
)

const add = statement((db, { pieceId, contentId, dataSetIds, nowMs }: Params<NewCopies>) =>
  db
    .insertInto('copies')
    .columns(['piece_id', 'content_id', 'data_set_id', 'slot', 'state', 'method', 'created_at', 'updated_at'])
    .expression(
      db
        .selectFrom('data_sets as d')
        .innerJoin('replica_slots as s', 's.current_data_set_id', 'd.id')
        .select([bigint(pieceId).as('piece_id'), bigint(contentId).as('content_id'), 'd.id as data_set_id', 'd.slot'])
        .select((row) =>
          row
            .case()
            .when('d.state', 'in', statesThatTakePieces)
            .then(copyEvents.planned.to)
            .else(copyEvents.planned_late.to)
            .end()
            .as('state'),
        )
        .select([sql<'pull'>`'pull'`.as('method'), bigint(nowMs).as('created_at'), bigint(nowMs).as('updated_at')])
        .where('d.id', 'in', dataSetIds),
    )
    .onConflict((conflict) => conflict.columns(['piece_id', 'data_set_id']).doNothing()),
)

/** PostgreSQL does not infer the type of a parameter in the list of a select. */
const bigint = (value: Expression<number>) => sql<number>`cast(${value} as bigint)`

/**
 * Plans a copy on each data set that is still current in its slot; on one that has ended since, the copy is lost from the start (I-29).
 * False, without changes, when the content has lost its last version since it was read.
 */
export async function addCopies(tx: Tx, copies: NewCopies): Promise<boolean> {
  if (!(await tx.get(findLive, { contentId: copies.contentId }))) return false
  await tx.run(add, copies)
  return true
}

const addOn = sqlStatement<{ dataSetId: number; contentIds: readonly number[]; nowMs: number }>(
  `insert into copies (piece_id, content_id, data_set_id, slot, state, method, created_at, updated_at)
   select p.id, c.id, d.id, d.slot, '${copyEvents.planned.to}', 'pull', cast(:nowMs as bigint), cast(:nowMs as bigint)
   from data_sets d join contents c on c.bucket_id = d.bucket_id join pieces p on p.content_id = c.id
   where d.id = :dataSetId and c.id in :contentIds and c.state = 'live' and p.length <= d.piece_bytes_max
   on conflict (piece_id, data_set_id) do nothing`,
)

/** Plans a copy of each content on the data set, unless it has one or has lost its last version. */
export async function addCopiesOn(tx: Tx, dataSetId: number, contentIds: readonly number[], nowMs: number): Promise<void> {
  await tx.run(addOn, { dataSetId, contentIds, nowMs })
}

/** Copies of the place that take the event: all of them, or of a data set the next page. */
async function findTaking(tx: Tx, name: CopyEventName, place: CopyPlace): Promise<readonly ChangedCopy[]> {
  const { from, isHeldExempt } = copyEvent(name)
  if ('dataSetId' in place) return tx.all(findFreeOfDataSet, { ...place, from, limit: copiesPerPage })
  if ('contentIds' in place) return (await tx.all(findOfContents, { ...place, from })).filter((copy) => !isHeldExempt || !copy.isHeld)
  if (!('ids' in place)) return tx.all(findInBatch, { ...place, from })
  const { ids, batchId, isUploaded } = place
  return (await tx.all(findByIds, { ids, from })).filter(
    (copy) => (batchId === undefined || copy.batchId === batchId) && (!isUploaded || copy.uploadedAtMs !== null),
  )
}

/**
 * The event happens to the copies of the place that are in a state that takes it; the others keep theirs. Returns the next page of changed
 * ones: only a data set has more than one.
 */
export async function changeCopies(
  tx: Tx,
  name: CopyEventName,
  place: CopyPlace,
  { nowMs, into, firstPieceId, code, message, retryAtMs }: CopyDetails & { readonly nowMs: number },
): Promise<{ readonly copies: readonly ChangedCopy[]; readonly hasMore: boolean }> {
  const copies = await findTaking(tx, name, place)
  if (copies.length === 0) return { copies, hasMore: false }
  await tx.run(changes[name], {
    ids: copies.map(({ id }) => id),
    nowMs,
    into: into ?? null,
    firstPieceId: firstPieceId ?? null,
    code: code ?? null,
    message: message ?? null,
    setbacks: retryAtMs === undefined ? 0 : 1,
    retryAtMs: retryAtMs ?? 0,
  })
  return { copies, hasMore: 'dataSetId' in place && copies.length === copiesPerPage }
}
