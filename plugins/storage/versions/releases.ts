/** @walk removal 4: tells the keepers in the same transaction, and removes the cached bytes after it */
import type { Log, Reader, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { hasMembers, packIdOf } from '../catalog/packs/pack-store.ts'
import { dropReferences } from '../catalog/references/reference-store.ts'
import type { Keepers } from '../contents/keepers.ts'
import type { CacheRelease } from '../contract.ts'
import { storageErrors } from '../errors.ts'

export interface ReleaseDeps {
  readonly cache: Pick<Cache, 'finishRelease'>
  readonly log: Log
  readonly keepers: Pick<Keepers, 'busyReason' | 'releaseContent'>
}

/** Contents released by a transaction that deleted versions. */
export interface Released {
  /** Whether a content has no versions left. */
  readonly isAnyEnded: boolean
  /** Contents with bytes that have no references left. */
  readonly contentIds: readonly number[]
  /** Packs that keep the bytes of one of them. */
  readonly sharedPackIds: readonly number[]
  readonly cleanupTaskIds: readonly number[]
}

/**
 * Call after deleting versions of these contents: releases the contents without references and has their copies removed. With `requiresIdle`
 * throws `object_storage_busy` while copies of one of them are being made.
 */
export async function release(
  tx: Tx,
  { keepers }: Pick<ReleaseDeps, 'keepers'>,
  removed: readonly { readonly contentId: number; readonly versions: number }[],
  { nowMs, requiresIdle = false }: { readonly nowMs: number; readonly requiresIdle?: boolean },
): Promise<Released> {
  const contentIds: number[] = []
  let isAnyEnded = false
  const sharedPackIds = new Set<number>()
  const cleanupTaskIds = new Set<number>()
  for (const { contentId, versions } of removed) {
    const { isEnded, leafIds } = await dropReferences(tx, contentId, versions, nowMs)
    isAnyEnded ||= isEnded
    contentIds.push(...leafIds)
    for (const leafId of leafIds) {
      if (requiresIdle) await requireIdle(tx, keepers, leafId)
      const packId = await packIdOf(tx, leafId)
      for (const taskId of await keepers.releaseContent(tx, leafId)) cleanupTaskIds.add(taskId)
      if (packId !== undefined && (await hasMembers(tx, packId))) sharedPackIds.add(packId)
    }
  }
  return { isAnyEnded, contentIds, sharedPackIds: [...sharedPackIds], cleanupTaskIds: [...cleanupTaskIds] }
}

/** Contents finished at the same time, whose writes then share transactions. */
const finishedAtOnceMax = 16

/** Removes the cached files and the rows of released contents. A failure is logged and retried in the background. */
export async function finishReleases(
  { cache, log }: Pick<ReleaseDeps, 'cache' | 'log'>,
  { contentIds }: Pick<Released, 'contentIds'>,
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

export function describeRelease({ isAnyEnded }: Released, { failed }: { readonly failed: number }): CacheRelease {
  if (!isAnyEnded) return 'retained'
  return failed > 0 ? 'failed' : 'released'
}

async function requireIdle(read: Reader, keepers: Pick<Keepers, 'busyReason'>, contentId: number): Promise<void> {
  const reason = await keepers.busyReason(read, contentId)
  if (reason === undefined) return
  throw storageErrors.object_storage_busy({
    message: `the version cannot be deleted now: ${reason}; retry when its background tasks have finished`,
  })
}
