import type { TaskQueue, Tx } from '#kernel'
import type { Contents, NeededContent } from '#plugins/storage'
import { taskKeys } from '../../task-keys.ts'
import { hasUnprovenPiece } from '../ingress/piece-proof-store.ts'
import { planPiece } from '../records/copy-store.ts'
import { isGivenUp } from '../views/being-stored.ts'
import { storeTask } from './store-task.ts'

/**
 * Enqueues the store task of a content that a new version refers to. A content whose store gave up starts again, like after a first
 * upload; one with an open task is left alone. A piece CID that was never compared with the SHA-256 is proven with these bytes (I-30).
 */
export async function storeWhenDue(
  { queue, contents }: { readonly queue: Pick<TaskQueue, 'add' | 'hasOpen'>; readonly contents: Pick<Contents, 'doubtCopies'> },
  tx: Tx,
  { id, size, reason }: NeededContent,
): Promise<void> {
  if (reason !== 'new' && (await hasUnprovenPiece(tx, id))) await contents.doubtCopies(tx, id)
  else if (reason === 'stored' || (reason === 'unstored' && !(await isGivenUp(tx, queue, id)))) return
  await planPiece(tx, { contentId: id, size })
  await queue.add(tx, storeTask, { contentId: id }, { key: taskKeys.store(id) })
}
