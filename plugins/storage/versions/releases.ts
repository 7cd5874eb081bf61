import type { Log, Reader, TaskQueue, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { dropReferences, forgetDeleted } from '../catalog/reference-store.ts'
import type { CacheRelease } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { readOpenCopies, releaseCopies } from '../removals/release-store.ts'
import { taskKeys } from '../task-keys.ts'
import type { VersionParts } from './versions.ts'

/** What became of contents in a transaction that removed versions. */
export interface Released {
  /** Contents without a version left. */
  readonly contentIds: readonly number[]
  readonly cleanupTaskIds: readonly number[]
}

/** Versions of these contents are gone from their rows: lets go what no other version needs. */
export function release(
  tx: Tx,
  { scheduleCleanup }: Pick<VersionParts, 'scheduleCleanup'>,
  gone: readonly { readonly contentId: number; readonly versions: number }[],
  nowMs: number,
): Released {
  const contentIds: number[] = []
  const cleanupTaskIds = new Set<number>()
  for (const { contentId, versions } of gone) {
    if (!dropReferences(tx, contentId, versions, nowMs)) continue
    contentIds.push(contentId)
    for (const dataSetId of releaseCopies(tx, contentId, nowMs)) cleanupTaskIds.add(scheduleCleanup(tx, dataSetId))
  }
  return { contentIds, cleanupTaskIds: [...cleanupTaskIds] }
}

/** Removes the cached files of released contents. What fails is logged and left to a task. */
export async function finishReleases(
  { cache, database, log }: { readonly cache: Cache; readonly database: VersionParts['database']; readonly log: Log },
  { contentIds }: Released,
): Promise<{ readonly failed: number }> {
  let failed = 0
  for (const contentId of contentIds) {
    try {
      await cache.finishRelease(contentId)
      await database.write((tx) => forgetDeleted(tx, contentId))
    } catch (error) {
      // The version is gone for good; only the room of its bytes is not free yet.
      log.warn('the cached bytes of a deleted object could not be removed yet', { content: contentId, error })
      failed += 1
    }
  }
  return { failed }
}

export function describeRelease({ contentIds }: Released, { failed }: { readonly failed: number }): CacheRelease {
  if (contentIds.length === 0) return 'retained'
  return failed > 0 ? 'failed' : 'released'
}

/** Throws `object_storage_busy` while the copies of a content are being made, or a submission of one is undecided. */
export function requireIdle(read: Reader, queue: Pick<TaskQueue, 'isOpen'>, contentId: number): void {
  const { isUndecided, pullingInto, committingTo } = readOpenCopies(read, contentId)
  if (isUndecided) throw busy('a transaction with a copy of it is not confirmed yet')
  const keys = [taskKeys.store(contentId), ...pullingInto.map(taskKeys.pull), ...committingTo.map(taskKeys.commit)]
  if (keys.some((key) => queue.isOpen(read, key))) throw busy('its copies are being stored')
}

const busy = (why: string) =>
  storageErrors.object_storage_busy({ message: `the version cannot be deleted now: ${why}; look at the background tasks and try again` })
