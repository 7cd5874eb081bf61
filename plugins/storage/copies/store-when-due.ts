import type { TaskQueue, Tx } from '#kernel'
import type { AttachedContent } from '../catalog/content-store.ts'
import { taskKeys } from '../task-keys.ts'
import { isGivenUp } from './being-stored.ts'
import { planPiece } from './copy-store.ts'
import { hasUnprovenPiece, holdCachedBytes } from './piece-proof-store.ts'
import { storeTask } from './store-task.ts'

/**
 * Puts the storing of a content on record that a new version points at. What was given up begins anew with it, so that another upload
 * of the same bytes does what a first one would; what is on its way is left alone. A piece CID that was never compared with the SHA-256
 * is proven with these bytes, whatever copies there are (I-30).
 */
export const storeWhenDue =
  (queue: TaskQueue) =>
  (tx: Tx, { id, size, reason }: AttachedContent): void => {
    if (reason !== 'new' && hasUnprovenPiece(tx, id)) holdCachedBytes(tx, id)
    else if (reason === 'stored' || (reason === 'unstored' && !isGivenUp(tx, queue, id))) return
    planPiece(tx, { contentId: id, size })
    queue.enqueue(tx, storeTask, { contentId: id }, { key: taskKeys.store(id) })
  }
