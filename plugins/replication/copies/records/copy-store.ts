import type { Params, Reader, Tx } from '#kernel'
import { pieceBytesMin } from '#plugins/providers'
import type { CopyState } from '../../states/tables/copy-transitions-policy.ts'
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

const countLive = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('contents')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('id', 'in', contentIds)
    .where('state', '=', 'live'),
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

const uploadEnded = statement((db, { id, nowMs }: Params<{ id: number; nowMs: number }>) =>
  db.updateTable('copies').set({ uploaded_at: nowMs, updated_at: nowMs }).where('id', '=', id).where('state', '=', 'transferring'),
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

/** Whether all of these contents have versions. */
export async function areLive(reader: Reader, contentIds: readonly number[]): Promise<boolean> {
  return (await reader.get(countLive, { contentIds }))?.n === new Set(contentIds).size
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

/** All bytes were accepted: a later run looks up the piece at the provider instead of sending it again. */
export async function recordUpload(tx: Tx, id: number, nowMs: number): Promise<void> {
  await tx.run(uploadEnded, { id, nowMs })
}
