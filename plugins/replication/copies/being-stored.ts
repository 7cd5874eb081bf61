import type { Reader, TaskQueue } from '#kernel'
import { taskKeys } from '../task-keys.ts'
import { findContent, objectState } from './placement-store.ts'

/** Whether an open task uploads the content to its first provider. */
export const isBeingStored = (reader: Reader, queue: Pick<TaskQueue, 'hasOpen'>, contentId: number): Promise<boolean> =>
  queue.hasOpen(reader, taskKeys.store(contentId))

/** No provider has the bytes, and no open task uploads them. */
export async function isGivenUp(reader: Reader, queue: Pick<TaskQueue, 'hasOpen'>, contentId: number): Promise<boolean> {
  if (await isBeingStored(reader, queue, contentId)) return false
  const content = await findContent(reader, contentId)
  return content !== undefined && (await objectState(content, async () => false)) === 'failed'
}
