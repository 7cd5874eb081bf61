import type { Reader, Tx } from '#kernel'
import type { ContentRecord, NeededContent } from '../contract.ts'
import { releaseEntry } from './cache-entry-store.ts'
import { attachReason } from './content-store.ts'

/**
 * Call after `versions` versions of a content were deleted. When none is left, marks the content as being deleted, so that no version can
 * attach to it (I-18), and releases its cache entry. Returns whether it did.
 */
export async function dropReferences(tx: Tx, contentId: number, versions: number, nowMs: number): Promise<boolean> {
  tx.run('update contents set ref_count = ref_count - ?, updated_at = ? where id = ?', versions, nowMs, contentId)
  const { changes } = tx.run(`update contents set state = 'deleting' where id = ? and ref_count = 0`, contentId)
  if (changes === 0) return false
  await releaseEntry(tx, contentId)
  return true
}

/** Whether deleting `versions` versions would leave the content without any. */
export async function isLastReference(read: Reader, contentId: number, versions: number): Promise<boolean> {
  return read.get('select 1 from contents where id = ? and ref_count <= ?', contentId, versions) !== undefined
}

interface ContentRow {
  readonly bucketId: number
  readonly size: number
  readonly target: number
  readonly durable: number
  readonly readable: number
  readonly storeState: string
}

/** Adds a reference to a live content. A `targetCopies` above its target raises it. */
export async function addReference(
  tx: Tx,
  contentId: number,
  { targetCopies, nowMs }: { readonly targetCopies: number; readonly nowMs: number },
): Promise<NeededContent> {
  const row = tx.get<ContentRow>(
    `select bucket_id as "bucketId", size, target_copies as target, durable_copies as durable, readable_copies as readable,
       store_state as "storeState" from contents where id = ? and state = 'live'`,
    contentId,
  )
  if (!row) throw new Error(`content ${contentId} has a version but is not live`)
  const target = Math.max(row.target, targetCopies)
  tx.run('update contents set ref_count = ref_count + 1, target_copies = ?, updated_at = ? where id = ?', target, nowMs, contentId)
  const { bucketId, size, durable, readable } = row
  return {
    id: contentId,
    bucketId,
    size,
    targetCopies: target,
    durableCopies: durable,
    readableCopies: readable,
    reason: attachReason(row, target),
  }
}

interface Readability {
  readonly isFailed: boolean
  readonly isCached: boolean
  readonly readableCopies: number
}

/** Whether the bytes of a content are readable, according to its rows. */
export async function findReadability(read: Reader, contentId: number): Promise<Readability> {
  const row = read.get<{ storeState: string; readable: number; cached: number }>(
    `select c.store_state as "storeState", c.readable_copies as readable,
       exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present') as cached
     from contents c where c.id = ?`,
    contentId,
  )
  return {
    isFailed: row === undefined || row.storeState === 'failed' || row.storeState === 'lost',
    isCached: row?.cached === 1,
    readableCopies: row?.readable ?? 0,
  }
}

/** SHA-256 of a content in hex, to verify fetched bytes; null if it was never recorded. */
export const sha256OfContent = async (read: Reader, contentId: number): Promise<string | null> =>
  read.get<{ sha256: string | null }>('select sha256 from contents where id = ?', contentId)?.sha256 ?? null

/** Contents in state `deleting`, at most `limit`, in order of id. */
export async function deletedContents(
  read: Reader,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<number[]> {
  return read
    .all<{ id: number }>(`select id from contents where state = 'deleting' and id > ? order by id limit ?`, after, limit)
    .map(({ id }) => id)
}

export const findContent = async (read: Reader, contentId: number): Promise<ContentRecord | undefined> =>
  read.get<ContentRecord>('select bucket_id as bucketId, size, sha256 from contents where id = ?', contentId)

/** The index of contents finds the versions; only they are compared with the prefix. */
export const keysOfContent = async (
  read: Reader,
  contentId: number,
  { prefix, limit }: { readonly prefix: string; readonly limit: number },
): Promise<readonly string[]> =>
  read
    .all<{ key: string }>(
      'select distinct key from object_versions where content_id = ? and substr(key, 1, length(?)) = ? order by key limit ?',
      contentId,
      prefix,
      prefix,
      limit,
    )
    .map(({ key }) => key)
