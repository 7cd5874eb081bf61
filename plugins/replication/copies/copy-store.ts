import type { Reader, Tx } from '#kernel'
import { type DataSet, takesPieces } from '../datasets/data-set-store.ts'

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

interface CopyRow {
  readonly id: number
  readonly piece_id: number
  readonly content_id: number
  readonly data_set_id: number
  readonly slot: number
  readonly state: CopyState
  readonly setbacks: number
  readonly next_attempt_at: number
  readonly uploaded_at: number | null
  readonly batch_id: number | null
}

/** After this many setbacks a copy is uploaded from the cache instead of pulled. */
export const pullSetbacksMax = 3

/** States in which the provider has the bytes. */
export const statesWithBytes: ReadonlySet<CopyState> = new Set(['parked', 'batched', 'unconfirmed', 'attention', 'committed'])

/** Inserts the piece of a new content. Idempotent. */
export async function planPiece(tx: Tx, content: { readonly contentId: number; readonly size: number }): Promise<void> {
  tx.run(
    'insert into pieces (content_id, part_no, offset_bytes, length) values (?, 0, 0, ?) on conflict (content_id, part_no) do nothing',
    content.contentId,
    content.size,
  )
}

export async function findPipelineContent(reader: Reader, contentId: number): Promise<PipelineContent | undefined> {
  const row = reader.get<{
    id: number
    bucket_id: number
    bucket_name: string
    size: number
    state: string
    target_copies: number
    piece_id: number
    piece_cid: string | null
  }>(
    `select c.id, c.bucket_id, b.name as bucket_name, c.size, c.state, c.target_copies, p.id as piece_id, p.piece_cid
     from contents c join buckets b on b.id = c.bucket_id join pieces p on p.content_id = c.id and p.part_no = 0 where c.id = ?`,
    contentId,
  )
  return (
    row && {
      contentId: row.id,
      bucketId: row.bucket_id,
      bucketName: row.bucket_name,
      size: row.size,
      isLive: row.state === 'live',
      targetCopies: row.target_copies,
      pieceId: row.piece_id,
      pieceCid: row.piece_cid,
    }
  )
}

/** Only for a piece CID computed from bytes with the content's SHA-256 (I-30). */
export async function setPieceCid(tx: Tx, pieceId: number, pieceCid: string): Promise<void> {
  tx.run('update pieces set piece_cid = ?, is_proven = 1 where id = ?', pieceCid, pieceId)
}

export async function copiesOf(reader: Reader, contentId: number): Promise<readonly Copy[]> {
  return reader.all<CopyRow>('select * from copies where content_id = ? order by slot, id', contentId).map(toCopy)
}

export async function findCopy(reader: Reader, id: number): Promise<Copy | undefined> {
  const row = reader.get<CopyRow>('select * from copies where id = ?', id)
  return row && toCopy(row)
}

/**
 * Plans one copy on each data set that is still current in its slot. Idempotent. False when the content was deleted. On a
 * data set that has ended meanwhile the copy is `lost` from the start (I-29), until its slot gets another data set.
 */
export async function planCopies(
  tx: Tx,
  content: PipelineContent,
  places: readonly Pick<DataSet, 'id' | 'slot'>[],
  nowMs: number,
): Promise<boolean> {
  // Its last version may have been deleted since it was read: plan nothing then.
  if (!tx.get("select 1 from contents where id = ? and state = 'live'", content.contentId)) return false
  for (const { id, slot } of places) {
    const current = tx.get<Pick<DataSet, 'state'>>(
      'select d.state from data_sets d join replica_slots s on s.current_data_set_id = d.id where d.id = ?',
      id,
    )
    if (!current) continue
    tx.run(
      `insert into copies (piece_id, content_id, data_set_id, slot, state, method, created_at, updated_at) values (?, ?, ?, ?, ?, 'pull', ?, ?)
       on conflict (piece_id, data_set_id) do nothing`,
      content.pieceId,
      content.contentId,
      id,
      slot,
      takesPieces(current.state) ? 'planned' : 'lost',
      nowMs,
      nowMs,
    )
  }
  return true
}

/** planned → transferring. False when another run changed the copy meanwhile. */
export async function beginUpload(tx: Tx, id: number, nowMs: number): Promise<boolean> {
  return (
    tx.run(
      "update copies set state = 'transferring', method = 'store', uploaded_at = null, updated_at = ? where id = ? and state = 'planned'",
      nowMs,
      id,
    ).changes === 1
  )
}

/** All bytes were accepted: a later run looks up the piece at the provider instead of sending it again. */
export async function recordUpload(tx: Tx, id: number, nowMs: number): Promise<void> {
  tx.run("update copies set uploaded_at = ?, updated_at = ? where id = ? and state = 'transferring'", nowMs, nowMs, id)
}

/** A copy and its holder: updates change nothing when the copy has another holder by now (I-25). */
interface CopyInBatch {
  readonly copyId: number
  /** Null: held by the store task, outside any batch. */
  readonly batchId: number | null
}

/** The provider serves the piece; it is not on chain yet. */
export async function markParked(tx: Tx, copy: CopyInBatch, nowMs: number): Promise<void> {
  tx.run(
    `update copies set state = 'parked', parked_at = ?, batch_id = null, last_error_code = null, last_error = null, updated_at = ?
     where id = ? and batch_id is ? and state in ('transferring', 'batched', 'attention')`,
    nowMs,
    nowMs,
    copy.copyId,
    copy.batchId,
  )
}

interface CopySetback {
  readonly code: string
  readonly message: string
  readonly nowMs: number
  /** Absent: it starts over at once, as after a crash, and no setback is counted. */
  readonly retryAtMs?: number
}

/** Back to planned: the bytes are not there, or must be sent again. */
export async function returnToPlanned(tx: Tx, copy: CopyInBatch, why: CopySetback): Promise<void> {
  tx.run(
    `update copies set state = 'planned', method = 'pull', uploaded_at = null, parked_at = null, batch_id = null,
     setbacks = setbacks + ?, next_attempt_at = ?, last_error_code = ?, last_error = ?, updated_at = ?
     where id = ? and batch_id is ? and state in ('transferring', 'parked', 'batched', 'attention')`,
    why.retryAtMs === undefined ? 0 : 1,
    why.retryAtMs ?? 0,
    why.code,
    why.message,
    why.nowMs,
    copy.copyId,
    copy.batchId,
  )
}

function toCopy(row: CopyRow): Copy {
  return {
    id: row.id,
    pieceId: row.piece_id,
    contentId: row.content_id,
    dataSetId: row.data_set_id,
    slot: row.slot,
    state: row.state,
    setbacks: row.setbacks,
    nextAttemptAtMs: row.next_attempt_at,
    uploadedAtMs: row.uploaded_at,
    batchId: row.batch_id,
  }
}
