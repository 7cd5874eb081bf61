import type { Reader, Tx } from '#kernel'
import { markLostIfUnreadable } from './content-state-store.ts'

/** One file of the cache, from its row. */
export interface BlobRef {
  readonly blobId: string
  /** Id of the process start that wrote it, in milliseconds: the first folder of its path. */
  readonly epoch: number
  readonly length: number
}

/** A blob and the SHA-256 of its content; null where none was recorded. */
export interface ExpectedBlob extends BlobRef {
  readonly sha256: string | null
}

interface PlaceBlob {
  readonly contentId: number
  readonly blob: BlobRef
  readonly nowMs: number
  /** The content was inserted in this transaction, so it has no entry yet. */
  readonly isNewContent: boolean
}

export interface PlacedBlob {
  /** Bytes by which the cache grew. */
  readonly addedBytes: number
  /** Replaced files: unlink them after the commit. */
  readonly redundant: readonly BlobRef[]
}

/**
 * Whether the content of entry `e` has the bucket's current minimum of committed copies, and at least one readable (I-02). While the entry
 * awaits proof, the cached bytes are needed to check the piece CID: its copies may hold other bytes, so they do not count (I-30).
 */
const hasEnoughCopies = `(e.awaits_proof = 0 and exists (select 1 from contents c join buckets b on b.id = c.bucket_id
  where c.id = e.content_id and c.durable_copies >= b.minimum_durable_copies and c.readable_copies >= 1))`

const blobColumns = 'blob_id as "blobId", epoch, length'

export const blobsOfContent = async (read: Reader, contentId: number): Promise<BlobRef[]> =>
  read.all<BlobRef>(`select ${blobColumns} from cache_blobs where content_id = ? order by ordinal`, contentId)

/**
 * Makes the blob the cached file of the content, replacing an older one (I-30): the new bytes were hashed while they were written; the
 * older file may be damaged, and checking it costs more than removing it.
 */
export async function placeBlob(tx: Tx, place: PlaceBlob): Promise<PlacedBlob> {
  const state = place.isNewContent ? undefined : await entryState(tx, place.contentId)
  if (state === undefined) {
    await insertEntry(tx, place)
    await insertBlob(tx, place)
    // An evicted content may have enough copies.
    if (!place.isNewContent) await updateReleasable(tx, place.contentId)
    return { addedBytes: place.blob.length, redundant: [] }
  }
  const former = await blobsOfContent(tx, place.contentId)
  await forgetBlobs(tx, former)
  await insertBlob(tx, place)
  tx.run(`update cache_entries set state = 'present', accessed_at = ? where content_id = ?`, place.nowMs, place.contentId)
  return { addedBytes: 0, redundant: former }
}

const entryState = async (read: Reader, contentId: number): Promise<string | undefined> =>
  read.get<{ state: string }>('select state from cache_entries where content_id = ?', contentId)?.state

async function insertEntry(tx: Tx, { contentId, blob, nowMs }: PlaceBlob): Promise<void> {
  tx.run(
    `insert into cache_entries (content_id, state, bytes, accessed_at, cached_at) values (?, 'present', ?, ?, ?)`,
    contentId,
    blob.length,
    nowMs,
    nowMs,
  )
}

async function insertBlob(tx: Tx, { contentId, blob }: PlaceBlob): Promise<void> {
  tx.run(
    'insert into cache_blobs (blob_id, content_id, ordinal, length, epoch) values (?, ?, 0, ?, ?)',
    blob.blobId,
    contentId,
    blob.length,
    blob.epoch,
  )
}

/** The epochs become unswept, so that the next start removes the files after a crash before their unlink. */
async function forgetBlobs(tx: Tx, blobs: readonly BlobRef[]): Promise<void> {
  for (const { blobId, epoch } of blobs) {
    tx.run('delete from cache_blobs where blob_id = ?', blobId)
    tx.run('update cache_epochs set swept_at = null where epoch = ? and swept_at is not null', epoch)
  }
}

/**
 * Deletes the rows of a content's cached file that is missing or damaged. Returns the bytes by which the cache shrank; 0
 * when another blob has replaced it.
 */
export async function dropDamaged(tx: Tx, contentId: number, blobId: string): Promise<number> {
  const blobs = await blobsOfContent(tx, contentId)
  if (!blobs.some((blob) => blob.blobId === blobId)) return 0
  await forgetBlobs(tx, blobs)
  return await deleteEntry(tx, contentId)
}

/** Marks a content with versions and without readable copies as `lost` (I-20). */
async function deleteEntry(tx: Tx, contentId: number): Promise<number> {
  const entry = tx.get<{ bytes: number }>('select bytes from cache_entries where content_id = ?', contentId)
  if (!entry) return 0
  tx.run('delete from cache_entries where content_id = ?', contentId)
  await markLostIfUnreadable(tx, contentId)
  return entry.bytes
}

/** Recomputes whether the cached bytes of a content may be removed. Called in every transaction that changes its copies. */
export async function updateReleasable(tx: Tx, contentId: number): Promise<void> {
  tx.run(`update cache_entries as e set releasable = ${hasEnoughCopies} where e.content_id = ?`, contentId)
}

/** Whether the copies that were counted last are enough to remove the cached bytes. */
export const isReleasable = async (read: Reader, contentId: number): Promise<boolean> =>
  read.get('select 1 from cache_entries where content_id = ? and releasable = 1', contentId) !== undefined

/** While copies are in doubt, the cached bytes of a content are kept. */
export async function setHold(tx: Tx, contentId: number, isHeld: boolean): Promise<void> {
  if (isHeld) tx.run('update cache_entries set awaits_proof = 1, releasable = 0 where content_id = ?', contentId)
  else tx.run('update cache_entries set awaits_proof = 0 where content_id = ?', contentId)
}

export async function withholdEntries(tx: Tx, contentIds: readonly number[]): Promise<void> {
  tx.run('update cache_entries set releasable = 0 where content_id in (select value from json_each(?))', JSON.stringify(contentIds))
}

/** Reads the next entries by content id, of all buckets. `stale`: those of the bucket whose `releasable` is out of date. */
export async function pageOfEntries(
  read: Reader,
  { bucketId, after, limit }: { readonly bucketId: number; readonly after: number; readonly limit: number },
): Promise<{ readonly lastId: number | undefined; readonly stale: readonly number[] }> {
  const rows = read.all<{ id: number; isStale: number }>(
    `select e.content_id as id, o.bucket_id = ? and e.releasable <> ${hasEnoughCopies} as "isStale"
     from (select * from cache_entries where content_id > ? order by content_id limit ?) e left join contents o on o.id = e.content_id
     order by e.content_id`,
    bucketId,
    after,
    limit,
  )
  return { lastId: rows.at(-1)?.id, stale: rows.filter((row) => row.isStale === 1).map(({ id }) => id) }
}

/**
 * Claims the entry for removal if it is present and releasable now (I-02). The copies are counted again, because `releasable` is stale
 * for a while after the bucket's minimum was raised. Returns the entry's files, or undefined.
 */
export async function beginEviction(tx: Tx, contentId: number): Promise<readonly BlobRef[] | undefined> {
  const { changes } = tx.run(
    `update cache_entries as e set state = 'evicting' where e.content_id = ? and e.state = 'present' and e.releasable = 1 and ${hasEnoughCopies}`,
    contentId,
  )
  return changes === 1 ? await blobsOfContent(tx, contentId) : undefined
}

/**
 * Makes an `evicting` entry `present` again when the content has versions and, since the eviction began, has too few copies or is guarded
 * (I-02). Returns whether it did.
 */
export async function cancelEvictionIfNeeded(tx: Tx, contentId: number, mayRelease: boolean): Promise<boolean> {
  const { changes } = tx.run(
    `update cache_entries as e set state = 'present', releasable = ${hasEnoughCopies} where e.content_id = ? and e.state = 'evicting'
       and (not ${hasEnoughCopies} or ? = 0) and exists (select 1 from contents c where c.id = e.content_id and c.state = 'live')`,
    contentId,
    mayRelease ? 1 : 0,
  )
  return changes === 1
}

/** Marks the entry of a content without versions for removal, regardless of its copies. Its bytes are no longer served. */
export async function releaseEntry(tx: Tx, contentId: number): Promise<void> {
  tx.run(`update cache_entries set state = 'evicting', releasable = 0 where content_id = ?`, contentId)
}

/**
 * Call after the files are unlinked. Returns the bytes by which the cache shrank; 0 when new bytes were cached meanwhile, or another task
 * finished the same eviction.
 */
export async function finishEviction(tx: Tx, contentId: number, blobs: readonly BlobRef[]): Promise<number> {
  for (const { blobId } of blobs) tx.run('delete from cache_blobs where blob_id = ?', blobId)
  // In any state: an entry without files must not exist.
  return (await blobsOfContent(tx, contentId)).length === 0 ? await deleteEntry(tx, contentId) : 0
}

/** The files of an `evicting` entry. They are never served again. */
export const evictingBlobs = async (read: Reader, contentId: number): Promise<BlobRef[]> =>
  read.all<BlobRef>(
    `select b.blob_id as "blobId", b.epoch, b.length from cache_entries e join cache_blobs b on b.content_id = e.content_id
     where e.content_id = ? and e.state = 'evicting' order by b.ordinal`,
    contentId,
  )

/** Contents whose eviction began and did not finish, at most `limit`, in order of id. */
export async function evictingContents(
  read: Reader,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<number[]> {
  return read
    .all<{ id: number }>(
      `select content_id as id from cache_entries where state = 'evicting' and content_id > ? order by content_id limit ?`,
      after,
      limit,
    )
    .map(({ id }) => id)
}

export const hasReleasable = async (read: Reader): Promise<boolean> =>
  read.get(`select 1 from cache_entries where state = 'present' and releasable = 1 limit 1`) !== undefined

/** A content whose cached bytes may be removed. */
export interface Candidate {
  readonly contentId: number
  readonly bytes: number
  readonly accessedAtMs: number
}

/** Least recently read first, after the candidate `after`. */
export async function pageOfReleasable(
  read: Reader,
  { after, limit }: { readonly after: Candidate | undefined; readonly limit: number },
): Promise<readonly Candidate[]> {
  return read.all<Candidate>(
    `select content_id as "contentId", bytes, accessed_at as "accessedAtMs" from cache_entries
     where state = 'present' and releasable = 1 and (accessed_at, content_id) > (?, ?) order by accessed_at, content_id limit ?`,
    after?.accessedAtMs ?? -1,
    after?.contentId ?? -1,
    limit,
  )
}

export const sumCachedBytes = async (read: Reader): Promise<number> =>
  read.get<{ bytes: number }>('select coalesce(sum(bytes), 0) as bytes from cache_entries')?.bytes ?? 0

export async function writeAccessTime(tx: Tx, contentId: number, accessedAtMs: number): Promise<void> {
  tx.run('update cache_entries set accessed_at = ? where content_id = ? and accessed_at < ?', accessedAtMs, contentId, accessedAtMs)
}

/** Inserts the epoch of this start: `nowMs`, or one more than the last epoch if the clock went back. */
export async function openEpoch(tx: Tx, nowMs: number): Promise<number> {
  const last = tx.get<{ epoch: number | null }>('select max(epoch) as epoch from cache_epochs')?.epoch ?? 0
  const epoch = Math.max(nowMs, last + 1)
  tx.run('insert into cache_epochs (epoch) values (?)', epoch)
  return epoch
}

export const unsweptEpochs = async (read: Reader, before: number): Promise<number[]> =>
  read
    .all<{ epoch: number }>('select epoch from cache_epochs where swept_at is null and epoch < ? order by epoch', before)
    .map(({ epoch }) => epoch)

export async function markSwept(tx: Tx, epoch: number, nowMs: number): Promise<void> {
  tx.run('update cache_epochs set swept_at = ? where epoch = ?', nowMs, epoch)
}

/** The blob ids that have a row. */
export async function knownBlobs(read: Reader, blobIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = read.all<{ id: string }>(
    'select b.blob_id as id from json_each(?) j join cache_blobs b on b.blob_id = j.value',
    JSON.stringify(blobIds),
  )
  return new Set(rows.map(({ id }) => id))
}
