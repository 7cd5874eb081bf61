import type { Reader, Tx } from '#kernel'
import { dropReferences } from '../catalog/reference-store.ts'
import type { CacheRelease } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import type { VersionDeps } from './versions.ts'

/** Contents released by a transaction that deleted versions. */
export interface Released {
  /** Contents without remaining versions. */
  readonly contentIds: readonly number[]
  readonly cleanupTaskIds: readonly number[]
}

/** Call after deleting versions of these contents: releases the contents without references and has their copies removed. */
export async function release(
  tx: Tx,
  { keepers }: Pick<VersionDeps, 'keepers'>,
  removed: readonly { readonly contentId: number; readonly versions: number }[],
  nowMs: number,
): Promise<Released> {
  const contentIds: number[] = []
  const cleanupTaskIds = new Set<number>()
  for (const { contentId, versions } of removed) {
    if (!(await dropReferences(tx, contentId, versions, nowMs))) continue
    contentIds.push(contentId)
    for (const taskId of await keepers.givenUp(tx, contentId)) cleanupTaskIds.add(taskId)
  }
  return { contentIds, cleanupTaskIds: [...cleanupTaskIds] }
}

/** Contents finished at the same time, whose writes then share transactions. */
const finishedAtOnceMax = 16

/** Removes the cached files and the rows of released contents. A failure is logged and retried in the background. */
export async function finishReleases(
  { cache, log }: Pick<VersionDeps, 'cache' | 'log'>,
  { contentIds }: Released,
): Promise<{ readonly failed: number }> {
  let failed = 0
  const finish = async (contentId: number): Promise<void> => {
    try {
      await cache.finishRelease(contentId)
    } catch (error) {
      // The version is deleted; only its cache space is not free yet.
      log.warn('cached bytes of a deleted object not removed; will retry', { content: contentId, error })
      failed += 1
    }
  }
  for (let start = 0; start < contentIds.length; start += finishedAtOnceMax) {
    await Promise.all(contentIds.slice(start, start + finishedAtOnceMax).map(finish))
  }
  return { failed }
}

export function describeRelease({ contentIds }: Released, { failed }: { readonly failed: number }): CacheRelease {
  if (contentIds.length === 0) return 'retained'
  return failed > 0 ? 'failed' : 'released'
}

/** Throws `object_storage_busy` while copies of a content are being made. */
export async function requireIdle(read: Reader, { keepers }: Pick<VersionDeps, 'keepers'>, contentId: number): Promise<void> {
  const reason = await keepers.busyReason(read, contentId)
  if (reason === undefined) return
  throw storageErrors.object_storage_busy({
    message: `the version cannot be deleted now: ${reason}; retry when its background tasks have finished`,
  })
}
