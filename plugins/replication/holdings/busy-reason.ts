import type { Reader, TaskQueue } from '#kernel'
import { taskKeys } from '../task-keys.ts'
import { readOpenCopies } from './release-store.ts'

/** Why a content cannot be given up: its copies are being stored, or their commit transaction is unconfirmed. */
export async function busyReason(read: Reader, queue: Pick<TaskQueue, 'hasOpen'>, contentId: number): Promise<string | undefined> {
  const { isUndecided, pullingInto, committingTo } = await readOpenCopies(read, contentId)
  if (isUndecided) return 'a transaction that commits one of its copies is not confirmed yet'
  const keys = [taskKeys.store(contentId), ...pullingInto.map(taskKeys.pull), ...committingTo.map(taskKeys.commit)]
  for (const key of keys) if (await queue.hasOpen(read, key)) return 'its copies are being stored'
  return undefined
}
