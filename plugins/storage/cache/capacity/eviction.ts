import { existsSync } from 'node:fs'
import { type Database, defineProbe, type Log, type Tx } from '#kernel'
import { isInDatabase } from '../../catalog/cached/cache-bytes-store.ts'
import type { BlobRef } from '../../catalog/cached/cache-entry-store.ts'
import {
  beginEviction,
  cancelEvictionIfNeeded,
  evictingBlobs,
  evictingContents,
  finishEviction,
} from '../../catalog/cached/eviction-store.ts'
import type { Contents } from '../../contract.ts'
import { blobPath } from '../files/cache-paths.ts'
import type { CacheRoot } from '../files/cache-root.ts'
import { type Disk, isMissing } from '../files/disk.ts'
import type { Capacity } from './reservation.ts'

/** Evictions per transaction. */
export const contentsPerPage = 100

const claimed = defineProbe('storage.evict.claimed')
const unlinked = defineProbe('storage.evict.unlinked')
const finished = defineProbe('storage.evict.finished')

export interface EvictionTasks {
  /** An eviction pass. */
  reconcileCapacity(tx: Tx): Promise<void>
  /** Retries the files of an `evicting` entry that could not be removed. */
  finishEviction(tx: Tx, contentId: number): Promise<void>
}

export interface Evictions {
  readonly database: Database
  readonly disk: Disk
  readonly root: Pick<CacheRoot, 'isPresent'>
  readonly dir: string
  readonly capacity: Capacity
  readonly tasks: EvictionTasks
  readonly contents: Pick<Contents, 'forgetIfReleased'>
  /** Checked in the transaction that removes the entry, like the number of copies (I-02). */
  readonly mayRelease: (tx: Tx, contentId: number) => Promise<boolean>
  /** Contents whose files could not be removed at the last attempt. */
  readonly stuck: Set<number>
  readonly log: Log
  readonly signal: AbortSignal
}

type MayEvict = (tx: Tx, contentId: number) => boolean

/**
 * Marks the entries `evicting`, unlinks their files, then deletes the rows: a crash leaves an `evicting` row, never a `present` row without
 * its file (I-03). Evicts only contents that are releasable (I-02) and that `mayEvict` accepts, both checked in the transaction that marks
 * them.
 */
export async function evictContents(
  evictions: Evictions,
  contentIds: readonly number[],
  mayEvict: MayEvict = () => true,
): Promise<Evicted> {
  const { claims, isAnyGuarded } = await evictions.database.write((tx) => claim(tx, evictions, contentIds, mayEvict), {
    rows: contentIds.length,
  })
  if (claims.length === 0) return { freedBytes: 0, isAnyGuarded }
  await claimed()
  return { freedBytes: await finishClaims(evictions, claims), isAnyGuarded }
}

export interface Evicted {
  readonly freedBytes: number
  /** Whether a guard kept an entry. */
  readonly isAnyGuarded: boolean
}

async function claim(tx: Tx, { mayRelease }: Evictions, contentIds: readonly number[], mayEvict: MayEvict) {
  const claims: Claim[] = []
  let isAnyGuarded = false
  for (const contentId of contentIds) {
    // Not for all at once: contents may be read while the statements of the others run.
    if (!mayEvict(tx, contentId)) continue
    const blobs = await beginEviction(tx, contentId)
    if (!blobs) continue
    // Guards are asked last: the statement above is cheaper.
    if (await mayRelease(tx, contentId)) claims.push({ contentId, blobs })
    else {
      await cancelEvictionIfNeeded(tx, contentId, false)
      isAnyGuarded = true
    }
  }
  return { claims, isAnyGuarded }
}

/** Removes the files of an `evicting` entry. Returns the bytes freed. Throws when a file cannot be removed. */
export async function finishContent(evictions: Evictions, contentId: number): Promise<number> {
  const blobs = (await evictingBlobs(evictions.database.read, [contentId])).get(contentId) ?? []
  return finishClaim(evictions, { contentId, blobs })
}

async function finishClaim(evictions: Evictions, claim: Claim): Promise<number> {
  await unlinkBlobs(evictions, claim)
  return evictions.database.write(async (tx) => {
    const freed = await finishEviction(tx, claim.contentId, claim.blobs)
    tx.afterCommit(() => evictions.capacity.release(freed))
    return freed
  })
}

/** Finishes like finishContent, for an eviction that began earlier: cancels it when the bytes are needed again. */
export async function resumeEviction(evictions: Evictions, contentId: number): Promise<void> {
  for (const claim of await resumeClaims(evictions, [contentId])) await finishClaim(evictions, claim)
}

/** Finishes evictions that a stop or a failed pass interrupted. */
export async function finishEvictions(evictions: Evictions): Promise<void> {
  const { read } = evictions.database
  for (let after = 0; ; ) {
    evictions.signal.throwIfAborted()
    const page = await evictingContents(read, { after, limit: contentsPerPage })
    const last = page.at(-1)
    if (last === undefined) return
    await finishClaims(evictions, await resumeClaims(evictions, page))
    after = last
  }
}

interface Claim {
  readonly contentId: number
  readonly blobs: readonly BlobRef[]
}

/** Cancels evictions whose content lost copies or is guarded since they began and whose bytes still exist (I-02). Returns the others. */
async function resumeClaims({ database, dir, stuck, mayRelease }: Evictions, contentIds: readonly number[]): Promise<readonly Claim[]> {
  const exists = (blob: BlobRef) => isInDatabase(blob) || existsSync(blobPath(dir, blob.blobId, blob.epoch))
  const blobs = await evictingBlobs(database.read, contentIds)
  const claims = contentIds.map((contentId): Claim => ({ contentId, blobs: blobs.get(contentId) ?? [] }))
  const intact = claims.filter(({ blobs }) => blobs.every(exists))
  const kept = await database.write(
    async (tx) => {
      const canceled: Claim[] = []
      for (const claim of intact) {
        const { contentId } = claim
        if (await cancelEvictionIfNeeded(tx, contentId, await mayRelease(tx, contentId))) canceled.push(claim)
      }
      return canceled
    },
    { rows: intact.length },
  )
  for (const { contentId } of kept) stuck.delete(contentId)
  return claims.filter((claim) => !kept.includes(claim))
}

async function finishClaims(evictions: Evictions, claims: readonly Claim[]): Promise<number> {
  const { database, tasks, capacity } = evictions
  const isUnlinked = await Promise.all(claims.map((claim) => tryUnlink(evictions, claim)))
  await unlinked()
  const freedBytes = await database.write(
    async (tx) => {
      let freed = 0
      for (const [at, { contentId, blobs }] of claims.entries()) {
        if (isUnlinked[at]) freed += await finishEviction(tx, contentId, blobs)
        else await tasks.finishEviction(tx, contentId)
      }
      const freedBytes = freed
      tx.afterCommit(() => capacity.release(freedBytes))
      return freedBytes
    },
    { rows: claims.length },
  )
  await finished()
  return freedBytes
}

async function tryUnlink(evictions: Evictions, claim: Claim): Promise<boolean> {
  try {
    await unlinkBlobs(evictions, claim)
    return true
  } catch (error) {
    evictions.log.warn('cache file not removed; will retry', { content: claim.contentId, error })
    return false
  }
}

async function unlinkBlobs({ disk, root, dir, stuck }: Evictions, { contentId, blobs }: Claim): Promise<void> {
  for (const blob of blobs) {
    // Bytes in the database go with their row.
    if (isInDatabase(blob)) continue
    try {
      await disk.unlink(blobPath(dir, blob.blobId, blob.epoch))
    } catch (error) {
      // Already unlinked before a crash. When the disk is unmounted, the file still exists (I-38).
      if (isMissing(error) && (await root.isPresent())) continue
      stuck.add(contentId)
      throw error
    }
  }
  stuck.delete(contentId)
}
