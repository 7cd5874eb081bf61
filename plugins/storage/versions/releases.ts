import type { Log, Reader, TaskQueue, Tx } from '#kernel'
import { readOpenCopies, releaseCopies } from '../../replication/copies/release-store.ts'
import type { Cache } from '../cache/cache.ts'
import { dropReferences, forgetDeleted } from '../catalog/reference-store.ts'
import type { CacheRelease } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { taskKeys } from '../task-keys.ts'
import type { VersionDeps } from './versions.ts'

/** Contents released by a transaction that deleted versions. */
export interface Released {
  /** Contents without remaining versions. */
  readonly contentIds: readonly number[]
  readonly cleanupTaskIds: readonly number[]
}

/** Call after deleting versions of these contents: releases the contents without references and schedules the removal of their copies. */
export function release(
  tx: Tx,
  { scheduleCleanup }: Pick<VersionDeps, 'scheduleCleanup'>,
  removed: readonly { readonly contentId: number; readonly versions: number }[],
  nowMs: number,
): Released {
  const contentIds: number[] = []
  const cleanupTaskIds = new Set<number>()
  for (const { contentId, versions } of removed) {
    if (!dropReferences(tx, contentId, versions, nowMs)) continue
    contentIds.push(contentId)
    for (const dataSetId of releaseCopies(tx, contentId, nowMs)) cleanupTaskIds.add(scheduleCleanup(tx, dataSetId))
  }
  return { contentIds, cleanupTaskIds: [...cleanupTaskIds] }
}

/** Removes the cached files of released contents. A failure is logged and retried by a task. */
export async function finishReleases(
  { cache, database, log }: { readonly cache: Cache; readonly database: VersionDeps['database']; readonly log: Log },
  { contentIds }: Released,
): Promise<{ readonly failed: number }> {
  let failed = 0
  for (const contentId of contentIds) {
    try {
      await cache.finishRelease(contentId)
      await database.write((tx) => forgetDeleted(tx, contentId))
    } catch (error) {
      // The version is deleted; only its cache space is not free yet.
      log.warn('cached bytes of a deleted object not removed; a task retries', { content: contentId, error })
      failed += 1
    }
  }
  return { failed }
}

export function describeRelease({ contentIds }: Released, { failed }: { readonly failed: number }): CacheRelease {
  if (contentIds.length === 0) return 'retained'
  return failed > 0 ? 'failed' : 'released'
}

/** Throws `object_storage_busy` while copies of a content are being stored or their commit transaction is unconfirmed. */
export function requireIdle(read: Reader, queue: Pick<TaskQueue, 'isOpen'>, contentId: number): void {
  const { isUndecided, pullingInto, committingTo } = readOpenCopies(read, contentId)
  if (isUndecided) throw busy('a transaction that commits one of its copies is not confirmed yet')
  const keys = [taskKeys.store(contentId), ...pullingInto.map(taskKeys.pull), ...committingTo.map(taskKeys.commit)]
  if (keys.some((key) => queue.isOpen(read, key))) throw busy('its copies are being stored')
}

const busy = (why: string) =>
  storageErrors.object_storage_busy({ message: `the version cannot be deleted now: ${why}; retry when its background tasks have finished` })
