import type { Reader, Tx } from '#kernel'
import type { Holdings, NeededContent } from '../contract.ts'

/** Sets the counts of copies and the store state: `lost` remains until there is a durable copy or the bytes are cached again. */
export async function writeHoldings(
  tx: Tx,
  contentId: number,
  { durableCopies, readableCopies, progress }: Holdings,
  nowMs: number,
): Promise<void> {
  tx.run(
    `update contents set durable_copies = ?, readable_copies = ?, updated_at = ?, store_state = case
       when ? >= target_copies then 'stored'
       when store_state = 'lost' and ? = 0 then 'lost'
       else ? end where id = ?`,
    durableCopies,
    readableCopies,
    nowMs,
    durableCopies,
    durableCopies,
    progress === 'none' ? 'unstored' : progress,
    contentId,
  )
}

/** Returns whether the content was `unstored`. */
export const markContentStoring = async (tx: Tx, contentId: number, nowMs: number): Promise<boolean> =>
  tx.run("update contents set store_state = 'storing', updated_at = ? where id = ? and store_state = 'unstored'", nowMs, contentId)
    .changes === 1

/** The bytes of a content with versions left the cache: it is lost when no copy can be read (I-20). */
export async function markLostIfUnreadable(tx: Tx, contentId: number): Promise<void> {
  tx.run(`update contents set store_state = 'lost' where id = ? and readable_copies = 0 and state = 'live'`, contentId)
}

/** Clears the `lost` state of a content whose bytes are in the cache again. */
export async function clearLost(tx: Tx, contentId: number): Promise<void> {
  tx.run(`update contents set store_state = 'unstored' where id = ? and store_state = 'lost'`, contentId)
}

export async function discountCopies(tx: Tx, contentIds: readonly number[], copies: number): Promise<void> {
  tx.run(
    `update contents set durable_copies = max(durable_copies - ?, 0), readable_copies = max(readable_copies - ?, 0)
     where id in (select value from json_each(?))`,
    copies,
    copies,
    JSON.stringify(contentIds),
  )
}

/** Inserts a content in state `deleting` with the bucket and size of another. */
export async function insertSeparateContent(tx: Tx, contentId: number, nowMs: number): Promise<number> {
  return tx.run(
    `insert into contents (bucket_id, identity, size, state, ref_count, target_copies, created_at, updated_at)
     select bucket_id, 'separated:' || id, size, 'deleting', 0, target_copies, ?, ? from contents where id = ?`,
    nowMs,
    nowMs,
    contentId,
  ).lastId
}

/** Whether a content in state `deleting` has no cached file. */
export const hasLeftCache = async (read: Reader, contentId: number): Promise<boolean> =>
  read.get(
    `select 1 from contents where id = ? and state = 'deleting'
       and not exists (select 1 from cache_entries e where e.content_id = contents.id)`,
    contentId,
  ) !== undefined

export async function deleteContent(tx: Tx, contentId: number): Promise<void> {
  tx.run('delete from contents where id = ?', contentId)
}

/** A keeper that is not attached missed a new version of the content: it stays among the unsettled ones until that keeper knows it. */
export async function unsettle(tx: Tx, contentId: number): Promise<void> {
  tx.run(`update contents set store_state = 'storing' where id = ? and store_state = 'stored'`, contentId)
}

/** A place in the index of the contents that are not `stored`. */
export interface UnsettledPlace {
  readonly bucketId: number
  readonly storeState: string
  readonly id: number
}

/** The next contents that are not `stored`, with versions or without. */
export async function pageOfUnsettled(
  read: Reader,
  { after, limit }: { readonly after: UnsettledPlace; readonly limit: number },
): Promise<readonly UnsettledPlace[]> {
  // The first condition repeats that of the partial index, otherwise SQLite would not use it.
  return read.all<UnsettledPlace>(
    `select bucket_id as "bucketId", store_state as "storeState", id from contents
     where store_state <> 'stored' and (bucket_id, store_state, id) > (?, ?, ?) order by bucket_id, store_state, id limit ?`,
    after.bucketId,
    after.storeState,
    after.id,
    limit,
  )
}

/** A content with versions, as a keeper that missed it must see it. */
export async function findMissed(read: Reader, contentId: number): Promise<(NeededContent & { readonly isLost: boolean }) | undefined> {
  const row = read.get<Omit<NeededContent, 'reason'> & { storeState: string }>(
    `select id, bucket_id as "bucketId", size, target_copies as "targetCopies", durable_copies as "durableCopies",
       readable_copies as "readableCopies", store_state as "storeState" from contents where id = ? and state = 'live'`,
    contentId,
  )
  if (!row) return undefined
  const { storeState, ...content } = row
  return { ...content, reason: storeState === 'stored' ? 'stored' : 'missed', isLost: storeState === 'lost' }
}
