import type { Reader, TaskQueue } from '#kernel'
import { taskKeys } from '../task-keys.ts'
import { readOpenCopies } from './release-store.ts'

/** Why a content cannot be released: its copies are being stored, or their commit transaction is unconfirmed. */
export async function busyReason(read: Reader, queue: Pick<TaskQueue, 'openKeys'>, contentId: number): Promise<string | undefined> {
  const { isUndecided, pullingInto, committingTo } = await readOpenCopies(read, contentId)
  if (isUndecided) return 'a transaction that commits one of its copies is not confirmed yet'
  const keys = [taskKeys.store(contentId), ...pullingInto.map(taskKeys.pull), ...committingTo.map(taskKeys.commit)]
  return (await queue.openKeys(read, keys)).size > 0 ? 'its copies are being stored' : undefined
}
