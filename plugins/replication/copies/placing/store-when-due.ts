/** @walk put 17: enqueues the store task */
import type { Reader, TaskQueue, Tx } from '#kernel'
import type { Contents, NeededContent } from '#plugins/storage'
import { taskKeys } from '../../task-keys.ts'
import { hasUnprovenPiece } from '../ingress/piece-proof-store.ts'
import { planPiece } from '../records/copy-store.ts'
import { objectState } from '../records/object-state-policy.ts'
import { findContent } from '../records/placement-store.ts'
import { storeTask } from './store-task.ts'

/**
 * Enqueues the store task of a content that a new version refers to. A content whose store gave up starts again, like after a first
 * upload; one with an open task is left alone. A piece CID that was never compared with the SHA-256 is proven with these bytes (I-30).
 */
export async function storeWhenDue(
  { queue, contents }: { readonly queue: Pick<TaskQueue, 'add' | 'hasOpen'>; readonly contents: Pick<Contents, 'awaitProof'> },
  tx: Tx,
  { id, size, reason }: NeededContent,
): Promise<void> {
  if (reason !== 'new' && (await hasUnprovenPiece(tx, id))) await contents.awaitProof(tx, id)
  else if (reason === 'stored' || (reason === 'unstored' && !(await isGivenUp(tx, queue, id)))) return
  await planPiece(tx, { contentId: id, size })
  await queue.add(tx, storeTask, { contentId: id }, { key: taskKeys.store(id) })
}

/** No provider has the bytes, and no open task uploads them. */
async function isGivenUp(reader: Reader, queue: Pick<TaskQueue, 'hasOpen'>, contentId: number): Promise<boolean> {
  if (await queue.hasOpen(reader, taskKeys.store(contentId))) return false
  const content = await findContent(reader, contentId)
  return content !== undefined && objectState(content, false) === 'failed'
}
