import type { Reader, Tx } from '#kernel'
import { updateReleasable } from '../cache/cache-store.ts'
import { forgetDeleted } from '../catalog/reference-store.ts'
import { type DataSet, takesPieces } from '../datasets/data-set-store.ts'
import { releaseCopies } from '../removals/release-store.ts'
import { endRemovals } from '../removals/removal-store.ts'

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
export function planPiece(tx: Tx, content: { readonly contentId: number; readonly size: number }): void {
  tx.run(
    'insert into pieces (content_id, part_no, offset_bytes, length) values (?, 0, 0, ?) on conflict (content_id, part_no) do nothing',
    content.contentId,
    content.size,
  )
}

export function findPipelineContent(reader: Reader, contentId: number): PipelineContent | undefined {
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
export function setPieceCid(tx: Tx, pieceId: number, pieceCid: string): void {
  tx.run('update pieces set piece_cid = ?, is_proven = 1 where id = ?', pieceCid, pieceId)
}

export function copiesOf(reader: Reader, contentId: number): readonly Copy[] {
  return reader.all<CopyRow>('select * from copies where content_id = ? order by slot, id', contentId).map(toCopy)
}

export function findCopy(reader: Reader, id: number): Copy | undefined {
  const row = reader.get<CopyRow>('select * from copies where id = ?', id)
  return row && toCopy(row)
}

/**
 * Plans one copy on each data set that is still current in its slot. Idempotent. True when this starts the storing of the content. On a
 * data set that has ended meanwhile the copy is `lost` from the start (I-29), until its slot gets another data set.
 */
export function planCopies(tx: Tx, content: PipelineContent, places: readonly Pick<DataSet, 'id' | 'slot'>[], nowMs: number): boolean {
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
  return (
    tx.run(
      "update contents set store_state = 'storing', updated_at = ? where id = ? and store_state = 'unstored'",
      nowMs,
      content.contentId,
    ).changes === 1
  )
}

/** planned → transferring. False when another run changed the copy meanwhile. */
export function beginUpload(tx: Tx, id: number, nowMs: number): boolean {
  return (
    tx.run(
      "update copies set state = 'transferring', method = 'store', uploaded_at = null, updated_at = ? where id = ? and state = 'planned'",
      nowMs,
      id,
    ).changes === 1
  )
}

/** All bytes were accepted: a later run looks up the piece at the provider instead of sending it again. */
export function recordUpload(tx: Tx, id: number, nowMs: number): void {
  tx.run("update copies set uploaded_at = ?, updated_at = ? where id = ? and state = 'transferring'", nowMs, nowMs, id)
}

/** A copy and its holder: updates change nothing when the copy has another holder by now (I-25). */
interface CopyInBatch {
  readonly copyId: number
  /** Null: held by the store task, outside any batch. */
  readonly batchId: number | null
}

/** The provider serves the piece; it is not on chain yet. */
export function markParked(tx: Tx, copy: CopyInBatch, nowMs: number): void {
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
export function returnToPlanned(tx: Tx, copy: CopyInBatch, why: CopySetback): void {
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

/** The data set takes no more pieces: unsent copies are lost, unsent batches closed. Sent batches are followed to their end. */
export function endWrites(tx: Tx, dataSetId: number, nowMs: number): void {
  tx.run(
    "update commit_batches set state = 'closed', attention_at = null, last_error = 'the data set ended', updated_at = ? where data_set_id = ? and state in ('pulling', 'ready')",
    nowMs,
    dataSetId,
  )
  tx.run(
    `update copies set state = 'lost', batch_id = null, updated_at = ? where data_set_id = ? and (state in ('planned', 'parked')
     or (state in ('transferring', 'batched', 'attention') and (batch_id is null or batch_id in (select id from commit_batches where state = 'closed'))))`,
    nowMs,
    dataSetId,
  )
}

/**
 * The data set is lost with all its copies. In the same transaction the affected cached bytes become unreleasable, and stay so (I-02):
 * their contents lose one durable copy until they are recounted.
 */
export function loseCopies(tx: Tx, dataSetId: number, nowMs: number): void {
  tx.run(
    `update contents set durable_copies = max(durable_copies - 1, 0), readable_copies = max(readable_copies - 1, 0)
     where id in (select content_id from copies where data_set_id = ? and state = 'committed')`,
    dataSetId,
  )
  tx.run("update copies set state = 'lost', updated_at = ? where data_set_id = ? and state = 'committed'", nowMs, dataSetId)
  // The copies may be deleted from now on and their ids reused: no open removal may refer to one.
  endRemovals(tx, dataSetId, nowMs)
  tx.run('update cache_entries set releasable = 0 where content_id in (select content_id from copies where data_set_id = ?)', dataSetId)
}

/** Contents with a copy on the data set, by id. */
export function contentsOfDataSet(
  reader: Reader,
  dataSetId: number,
  page: { readonly after: number; readonly limit: number },
): readonly number[] {
  return reader
    .all<{ id: number }>(
      'select distinct content_id as id from copies where data_set_id = ? and content_id > ? order by content_id limit ?',
      dataSetId,
      page.after,
      page.limit,
    )
    .map(({ id }) => id)
}

/** Service URL of a provider that can serve the piece of copy `c`: committed copies first, then rotating with the setbacks. */
const sourceUrl = `(select d.service_url from copies s join data_sets d on d.id = s.data_set_id
  where s.piece_id = c.piece_id and s.data_set_id <> c.data_set_id and s.state in ('parked', 'batched', 'unconfirmed', 'attention', 'committed')
    and d.state in ('ready', 'write_blocked', 'retiring')
  order by s.state = 'committed' desc, (s.id + c.setbacks) % 8 limit 1)`

/** Planned copies of a data set that another provider can already serve, oldest first. */
export function pullCandidates(reader: Reader, dataSetId: number, nowMs: number, limit: number): readonly PullCandidate[] {
  return reader.all<PullCandidate>(
    `select c.id as copyId, c.content_id as contentId, c.setbacks as setbacks, p.piece_cid as pieceCid, p.length as length, ${sourceUrl} as sourceUrl
     from copies c join pieces p on p.id = c.piece_id
     where c.data_set_id = ? and c.state = 'planned' and c.next_attempt_at <= ? and p.piece_cid is not null and sourceUrl is not null
     order by c.id limit ?`,
    dataSetId,
    nowMs,
    limit,
  )
}

/** Source URL of each piece of a pull, by copy id; without pieces that have no source. */
export function sourceUrls(reader: Reader, batchId: number): ReadonlyMap<number, string> {
  const rows = reader.all<{ copyId: number; url: string | null }>(
    `select c.id as copyId, ${sourceUrl} as url from commit_items i join copies c on c.id = i.copy_id where i.batch_id = ?`,
    batchId,
  )
  return new Map(rows.flatMap(({ copyId, url }) => (url === null ? [] : [[copyId, url] as const])))
}

interface PullCandidate {
  readonly copyId: number
  readonly contentId: number
  readonly setbacks: number
  readonly pieceCid: string
  readonly length: number
  /** Service URL of a provider that has the piece. */
  readonly sourceUrl: string
}

/** Earliest retry time of a planned copy; undefined when none waits. */
export function nextPullAtMs(reader: Reader, dataSetId: number, nowMs: number): number | undefined {
  const row = reader.get<{ at: number | null }>(
    "select min(next_attempt_at) as at from copies where data_set_id = ? and state = 'planned' and next_attempt_at > ?",
    dataSetId,
    nowMs,
  )
  return row?.at ?? undefined
}

/** Number of slots in which every piece of the content has one of the copy states, on data sets in one of the data set states. */
const slotsWith = (copyStates: string, dataSetStates: string) => `(select count(*) from (
  select c.slot from copies c join data_sets d on d.id = c.data_set_id
  where c.content_id = contents.id and c.state in (${copyStates}) and d.state in (${dataSetStates})
  group by c.slot having count(distinct c.piece_id) = (select count(*) from pieces p where p.content_id = contents.id)) as slots)`
const durableSlots = slotsWith(`'committed'`, `'ready', 'write_blocked', 'retiring'`)
/** Slots whose provider serves the bytes, committed or not: after a reorganisation copies can still be read there (I-20). */
const readableSlots = slotsWith(
  `'parked', 'batched', 'unconfirmed', 'attention', 'committed'`,
  `'creating', 'ready', 'write_blocked', 'retiring'`,
)

/**
 * Recounts a content in the transaction that changed its copies: durable slots (I-19), store state, and whether its cached bytes are
 * releasable. Releases the copies of a deleted content; returns the data sets from which they must be removed.
 */
export function recountContent(tx: Tx, contentId: number, nowMs: number): readonly number[] {
  const released = releaseCopies(tx, contentId, nowMs)
  tx.run(
    `update contents set durable_copies = ${durableSlots}, readable_copies = ${readableSlots}, updated_at = ? where id = ?`,
    nowMs,
    contentId,
  )
  tx.run(
    `update contents set store_state = case
       when durable_copies >= target_copies then 'stored'
       when store_state = 'lost' and durable_copies = 0 then 'lost'
       when exists (select 1 from copies where content_id = contents.id and state = 'failed')
         and not exists (select 1 from copies where content_id = contents.id and state in ('planned', 'transferring', 'parked', 'batched', 'unconfirmed')) then 'failed'
       when exists (select 1 from copies where content_id = contents.id) then 'storing'
       else 'unstored' end where id = ?`,
    contentId,
  )
  updateReleasable(tx, contentId)
  forgetDeleted(tx, contentId)
  return released
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
