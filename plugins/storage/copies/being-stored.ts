import type { Reader, TaskQueue } from '#kernel'
import { taskKeys } from '../task-keys.ts'
import { findContent, objectState } from './placement-store.ts'

/** Is there a task that brings the content's bytes to a first provider? */
export const isBeingStored = (reader: Reader, queue: Pick<TaskQueue, 'isOpen'>, contentId: number): boolean =>
  queue.isOpen(reader, taskKeys.store(contentId))

/** No provider has the bytes, and no task brings them to one any more. */
export function isGivenUp(reader: Reader, queue: Pick<TaskQueue, 'isOpen'>, contentId: number): boolean {
  if (isBeingStored(reader, queue, contentId)) return false
  const content = findContent(reader, contentId)
  return content !== undefined && objectState(content, () => false) === 'failed'
}
