import type { Reader, Tx } from '#kernel'

/** Whether the content has a copy that is not removed. */
export const isAnyCopyLeft = async (read: Reader, contentId: number): Promise<boolean> =>
  read.get("select 1 from copies where content_id = ? and state <> 'removed' limit 1", contentId) !== undefined

/** SQLite may reuse ids of copies, so all rows that reference them are deleted. */
export async function deleteCopies(tx: Tx, contentId: number): Promise<void> {
  tx.run('delete from commit_items where copy_id in (select id from copies where content_id = ?)', contentId)
  tx.run('delete from copies where content_id = ?', contentId)
  tx.run('delete from pieces where content_id = ?', contentId)
}
