import type { Reader, TaskQueue } from '#kernel'
import { taskKeys } from '../task-keys.ts'
import { readOpenCopies } from './release-store.ts'

/** Why a content cannot be given up: its copies are being stored, or their commit transaction is unconfirmed. */
export function busyReason(read: Reader, queue: Pick<TaskQueue, 'isOpen'>, contentId: number): string | undefined {
  const { isUndecided, pullingInto, committingTo } = readOpenCopies(read, contentId)
  if (isUndecided) return 'a transaction that commits one of its copies is not confirmed yet'
  const keys = [taskKeys.store(contentId), ...pullingInto.map(taskKeys.pull), ...committingTo.map(taskKeys.commit)]
  return keys.some((key) => queue.isOpen(read, key)) ? 'its copies are being stored' : undefined
}
