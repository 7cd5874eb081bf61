import { type Expression, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { pieceBytesMin } from '../../chain/provider-limits.ts'
import { type DataSet, statesThatTakePieces } from '../../datasets/data-set-store.ts'
import { statement } from '../../tables.ts'

/** A content in the storage pipeline. It has one piece, because the largest object fits into one. */
export interface PipelineContent {
  readonly contentId: number
  readonly bucketId: number
  readonly bucketName: string
  readonly size: number
  readonly isLive: boolean
  readonly targetCopies: number
  readonly pieceId: number
  readonly pieceCid: string | null
}

export type CopyState =
  | 'planned'
  | 'transferring'
  | 'parked'
  | 'batched'
  | 'unconfirmed'
  | 'attention'
  | 'committed'
  | 'failed'
  | 'lost'
  | 'removed'

/** A piece on one data set. */
export interface Copy {
  readonly id: number
  readonly pieceId: number
  readonly contentId: number
  readonly dataSetId: number
  readonly slot: number
  readonly state: CopyState
  /** How often the copy started over: used to order providers and to space retries. Independent of task attempts. */
  readonly setbacks: number
  readonly nextAttemptAtMs: number
  readonly uploadedAtMs: number | null
  readonly batchId: number | null
}

/** After this many setbacks a copy is uploaded from the cache instead of pulled. */
export const pullSetbacksMax = 3

/** States in which the provider has the bytes. */
export const statesWithBytes: ReadonlySet<CopyState> = new Set(['parked', 'batched', 'unconfirmed', 'attention', 'committed'])

const addPiece = statement((db, { contentId, length }: Params<{ contentId: number; length: number }>) =>
  db
    .insertInto('pieces')
    .values({ content_id: contentId, part_no: 0, offset_bytes: 0, length })
    .onConflict((conflict) => conflict.columns(['content_id', 'part_no']).doNothing()),
)

const findContent = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('contents as c')
    .innerJoin('buckets as b', 'b.id', 'c.bucket_id')
    .innerJoin('pieces as p', (join) => join.onRef('p.content_id', '=', 'c.id').on('p.part_no', '=', 0))
    .select([
      'c.id as contentId',
      'c.bucket_id as bucketId',
      'b.name as bucketName',
      'c.size',
      'c.state',
      'c.target_copies as targetCopies',
    ])
    .select(['p.id as pieceId', 'p.piece_cid as pieceCid'])
    .where('c.id', '=', contentId),
)

const proveCid = statement((db, { pieceId, pieceCid }: Params<{ pieceId: number; pieceCid: string }>) =>
  db.updateTable('pieces').set({ piece_cid: pieceCid, is_proven: 1 }).where('id', '=', pieceId),
)

const copyColumns = [
  'id',
  'piece_id as pieceId',
  'content_id as contentId',
  'data_set_id as dataSetId',
  'slot',
  'state',
  'setbacks',
  'next_attempt_at as nextAttemptAtMs',
  'uploaded_at as uploadedAtMs',
  'batch_id as batchId',
] as const

const findCopies = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.selectFrom('copies').select(copyColumns).where('content_id', '=', contentId).orderBy('slot').orderBy('id'),
)

const findById = statement((db, { id }: Params<{ id: number }>) => db.selectFrom('copies').select(copyColumns).where('id', '=', id))

const findLive = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.selectFrom('contents').select('id').where('id', '=', contentId).where('state', '=', 'live'),
)

interface NewCopies {
  readonly pieceId: number
  readonly contentId: number
  readonly dataSetIds: readonly number[]
  readonly nowMs: number
}

const addCopies = statement((db, { pieceId, contentId, dataSetIds, nowMs }: Params<NewCopies>) =>
  db
    .insertInto('copies')
    .columns(['piece_id', 'content_id', 'data_set_id', 'slot', 'state', 'method', 'created_at', 'updated_at'])
    .expression(
      db
        .selectFrom('data_sets as d')
        .innerJoin('replica_slots as s', 's.current_data_set_id', 'd.id')
        .select([bigint(pieceId).as('piece_id'), bigint(contentId).as('content_id'), 'd.id as data_set_id', 'd.slot'])
        .select((row) => row.case().when('d.state', 'in', statesThatTakePieces).then('planned').else('lost').end().as('state'))
        .select([sql<'pull'>`'pull'`.as('method'), bigint(nowMs).as('created_at'), bigint(nowMs).as('updated_at')])
        .where('d.id', 'in', dataSetIds),
    )
    .onConflict((conflict) => conflict.columns(['piece_id', 'data_set_id']).doNothing()),
)

/** PostgreSQL does not infer the type of a parameter in the list of a select. */
const bigint = (value: Expression<number>) => sql<number>`cast(${value} as bigint)`

const transfer = statement((db, { id, nowMs }: Params<{ id: number; nowMs: number }>) =>
  db
    .updateTable('copies')
    .set({ state: 'transferring', method: 'store', uploaded_at: null, updated_at: nowMs })
    .where('id', '=', id)
    .where('state', '=', 'planned'),
)

const uploadEnded = statement((db, { id, nowMs }: Params<{ id: number; nowMs: number }>) =>
  db.updateTable('copies').set({ uploaded_at: nowMs, updated_at: nowMs }).where('id', '=', id).where('state', '=', 'transferring'),
)

/** A copy and its holder: updates change nothing when the copy has another holder by now (I-25). */
interface CopyInBatch {
  readonly copyId: number
  /** Null: held by the store task, outside any batch. */
  readonly batchId: number | null
}

const park = statement((db, { copyId, batchId, nowMs }: Params<CopyInBatch & { nowMs: number }>) =>
  db
    .updateTable('copies')
    .set({ state: 'parked', parked_at: nowMs, batch_id: null, last_error_code: null, last_error: null, updated_at: nowMs })
    .where('id', '=', copyId)
    .where('batch_id', 'is not distinct from', batchId)
    .where('state', 'in', ['transferring', 'batched', 'attention']),
)

interface Return {
  readonly setbacks: number
  readonly retryAtMs: number
  readonly code: string
  readonly message: string
  readonly nowMs: number
}

const startOver = statement((db, { copyId, batchId, setbacks, retryAtMs, code, message, nowMs }: Params<CopyInBatch & Return>) =>
  db
    .updateTable('copies')
    .set((copy) => ({
      state: 'planned',
      method: 'pull',
      uploaded_at: null,
      parked_at: null,
      batch_id: null,
      setbacks: copy('setbacks', '+', setbacks),
      next_attempt_at: retryAtMs,
      last_error_code: code,
      last_error: message,
      updated_at: nowMs,
    }))
    .where('id', '=', copyId)
    .where('batch_id', 'is not distinct from', batchId)
    .where('state', 'in', ['transferring', 'batched', 'attention']),
)

/** Inserts the piece of a new content. Idempotent. A content below the minimum of the network is padded with zeros. */
export async function planPiece(tx: Tx, { contentId, size }: { readonly contentId: number; readonly size: number }): Promise<void> {
  await tx.run(addPiece, { contentId, length: Math.max(size, pieceBytesMin) })
}

export async function findPipelineContent(reader: Reader, contentId: number): Promise<PipelineContent | undefined> {
  const found = await reader.get(findContent, { contentId })
  if (!found) return undefined
  const { state, ...content } = found
  return { ...content, isLive: state === 'live' }
}

/** Only for a piece CID computed from bytes with the content's SHA-256 (I-30). */
export async function setPieceCid(tx: Tx, pieceId: number, pieceCid: string): Promise<void> {
  await tx.run(proveCid, { pieceId, pieceCid })
}

export async function copiesOf(reader: Reader, contentId: number): Promise<readonly Copy[]> {
  return reader.all(findCopies, { contentId })
}

export async function findCopy(reader: Reader, id: number): Promise<Copy | undefined> {
  return reader.get(findById, { id })
}

/**
 * Plans one copy on each data set that is still current in its slot. Idempotent. False when the content was deleted. On a
 * data set that has ended meanwhile the copy is `lost` from the start (I-29), until its slot gets another data set.
 */
export async function planCopies(
  tx: Tx,
  { contentId, pieceId }: PipelineContent,
  places: readonly Pick<DataSet, 'id'>[],
  nowMs: number,
): Promise<boolean> {
  // Its last version may have been deleted since it was read: plan nothing then.
  if (!(await tx.get(findLive, { contentId }))) return false
  await tx.run(addCopies, { pieceId, contentId, dataSetIds: places.map(({ id }) => id), nowMs })
  return true
}

/** planned → transferring. False when another run changed the copy meanwhile. */
export async function beginUpload(tx: Tx, id: number, nowMs: number): Promise<boolean> {
  return (await tx.run(transfer, { id, nowMs })).changes === 1
}

/** All bytes were accepted: a later run looks up the piece at the provider instead of sending it again. */
export async function recordUpload(tx: Tx, id: number, nowMs: number): Promise<void> {
  await tx.run(uploadEnded, { id, nowMs })
}

/** The provider serves the piece; it is not on chain yet. */
export async function markParked(tx: Tx, copy: CopyInBatch, nowMs: number): Promise<void> {
  await tx.run(park, { ...copy, nowMs })
}

interface CopySetback {
  readonly code: string
  readonly message: string
  readonly nowMs: number
  /** Absent: it starts over at once, as after a crash, and no setback is counted. */
  readonly retryAtMs?: number
}

/**
 * Back to planned: the bytes are not there, or must be sent again. False when the copy has another holder by now, or was parked: a parked
 * copy is not sent again.
 */
export async function returnToPlanned(tx: Tx, copy: CopyInBatch, { retryAtMs, ...why }: CopySetback): Promise<boolean> {
  const setbacks = retryAtMs === undefined ? 0 : 1
  return (await tx.run(startOver, { ...copy, ...why, setbacks, retryAtMs: retryAtMs ?? 0 })).changes === 1
}
