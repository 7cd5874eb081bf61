import type { Reader, TaskQueue } from '#kernel'
import { taskKeys } from '../task-keys.ts'
import { findContent, objectState } from './placement-store.ts'

/** Whether an open task uploads the content to its first provider. */
export const isBeingStored = (reader: Reader, queue: Pick<TaskQueue, 'isOpen'>, contentId: number): boolean =>
  queue.isOpen(reader, taskKeys.store(contentId))

/** No provider has the bytes, and no open task uploads them. */
export function isGivenUp(reader: Reader, queue: Pick<TaskQueue, 'isOpen'>, contentId: number): boolean {
  if (isBeingStored(reader, queue, contentId)) return false
  const content = findContent(reader, contentId)
  return content !== undefined && objectState(content, () => false) === 'failed'
}
