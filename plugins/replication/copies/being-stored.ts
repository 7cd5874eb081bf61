import type { Reader, TaskQueue } from '#kernel'
import type { ObjectState } from '../contract.ts'
import { taskKeys } from '../task-keys.ts'
import { awaitsUpload, objectState, type StoredContent } from './object-state-policy.ts'
import { findContent } from './placement-store.ts'

/** No provider has the bytes, and no open task uploads them. */
export async function isGivenUp(reader: Reader, queue: Pick<TaskQueue, 'hasOpen'>, contentId: number): Promise<boolean> {
  if (await queue.hasOpen(reader, taskKeys.store(contentId))) return false
  const content = await findContent(reader, contentId)
  return content !== undefined && objectState(content, false) === 'failed'
}

/** The contents with their states. Read both in one snapshot: a task that ends in between would make its content look failed. */
export async function withStates<C extends StoredContent & { readonly contentId: number }>(
  reader: Reader,
  queue: Pick<TaskQueue, 'openKeys'>,
  contents: readonly C[],
): Promise<readonly (C & { readonly state: ObjectState })[]> {
  const keys = contents.filter(awaitsUpload).map(({ contentId }) => taskKeys.store(contentId))
  const open = keys.length === 0 ? new Set() : await queue.openKeys(reader, keys)
  return contents.map((content) => ({ ...content, state: objectState(content, open.has(taskKeys.store(content.contentId))) }))
}
