import type { Reader, TaskQueue } from '#kernel'
import { taskKeys } from '../task-keys.ts'

/** Is there a task that brings the content's bytes to a first provider? */
export const isBeingStored = (reader: Reader, queue: Pick<TaskQueue, 'isOpen'>, contentId: number): boolean =>
  queue.isOpen(reader, taskKeys.store(contentId))
