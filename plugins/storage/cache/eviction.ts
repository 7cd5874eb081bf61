import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, defineProbe, type Log, type Tx } from '#kernel'
import { blobPath, blobsFolder } from './blob-folders.ts'
import { type BlobRef, beginEviction, evictingBlobs, evictingContents, finishEviction, keepIfNeeded } from './cache-store.ts'
import { type Disk, isMissing } from './disk.ts'
import type { Capacity } from './reservation.ts'

/** Evictions finished together. */
export const contentsPerPage = 100

const claimed = defineProbe('storage.evict.claimed')
const unlinked = defineProbe('storage.evict.unlinked')
const finished = defineProbe('storage.evict.finished')

/** Puts the work of evictions on record. */
export interface EvictionTasks {
  /** A pass that removes what may and has to go. */
  makeRoom(tx: Tx): void
  /** The entry is `evicting` and its files could not be removed: they are tried again, and shown to the operator. */
  finishEviction(tx: Tx, contentId: number): void
}

export interface Evictions {
  readonly database: Database
  readonly disk: Disk
  readonly dir: string
  readonly capacity: Capacity
  readonly tasks: EvictionTasks
  /** Contents whose files could not be removed when that was last tried. */
  readonly stuck: Set<number>
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * Row first, then file, then the row is gone: a crash between leaves an `evicting` row, never a row without its file (I-03). Only what is
 * releasable at the moment of the claim goes (I-02), and only where `mayEvict` agrees in the same transaction. Returns the bytes freed.
 */
export async function evictContents(
  evictions: Evictions,
  contentIds: readonly number[],
  mayEvict: (tx: Tx, contentId: number) => boolean = () => true,
): Promise<number> {
  const claims = await evictions.database.write((tx) =>
    contentIds.flatMap((contentId) => {
      const blobs = mayEvict(tx, contentId) ? beginEviction(tx, contentId) : undefined
      return blobs ? [{ contentId, blobs }] : []
    }),
  )
  if (claims.length === 0) return 0
  await claimed()
  return finishClaims(evictions, claims)
}

/** Removes the files of an entry, if it is `evicting`. Returns the bytes freed. Throws when a file cannot be removed. */
export async function finishContent(evictions: Evictions, contentId: number): Promise<number> {
  const blobs = evictingBlobs(evictions.database.read, contentId)
  await unlinkBlobs(evictions, { contentId, blobs })
  const freed = await evictions.database.write((tx) => finishEviction(tx, contentId, blobs))
  evictions.capacity.release(freed)
  return freed
}

/** The same for an eviction that was begun some time ago. */
export async function finishLate(evictions: Evictions, contentId: number): Promise<void> {
  const claims = await takeUp(evictions, [contentId])
  if (claims.length > 0) await finishContent(evictions, contentId)
}

/** Finishes what an earlier stop, or a pass that broke off, began. */
export async function finishEvictions(evictions: Evictions): Promise<void> {
  const { read } = evictions.database
  for (let after = 0; ; ) {
    evictions.signal.throwIfAborted()
    const page = evictingContents(read, { after, limit: contentsPerPage })
    const last = page.at(-1)
    if (last === undefined) return
    await finishClaims(evictions, await takeUp(evictions, page))
    after = last
  }
}

interface Claim {
  readonly contentId: number
  readonly blobs: readonly BlobRef[]
}

/** Copies may have been lost since these evictions were begun: what is needed again, and still there, stays (I-02). */
async function takeUp({ database, dir, stuck }: Evictions, contentIds: readonly number[]): Promise<readonly Claim[]> {
  const isThere = ({ blobId, epoch }: BlobRef) => existsSync(blobPath(dir, blobId, epoch))
  const claims = contentIds.map((contentId) => ({ contentId, blobs: evictingBlobs(database.read, contentId) }))
  const whole = claims.filter(({ blobs }) => blobs.every(isThere))
  const kept = await database.write((tx) => whole.filter(({ contentId }) => keepIfNeeded(tx, contentId)))
  for (const { contentId } of kept) stuck.delete(contentId)
  return claims.filter((claim) => !kept.includes(claim))
}

async function finishClaims(evictions: Evictions, claims: readonly Claim[]): Promise<number> {
  const { database, tasks, capacity } = evictions
  const isGone = await Promise.all(claims.map((claim) => tryUnlink(evictions, claim)))
  await unlinked()
  const freedBytes = await database.write((tx) => {
    let freed = 0
    for (const [at, { contentId, blobs }] of claims.entries()) {
      if (isGone[at]) freed += finishEviction(tx, contentId, blobs)
      else tasks.finishEviction(tx, contentId)
    }
    return freed
  })
  capacity.release(freedBytes)
  await finished()
  return freedBytes
}

async function tryUnlink(evictions: Evictions, claim: Claim): Promise<boolean> {
  try {
    await unlinkBlobs(evictions, claim)
    return true
  } catch (error) {
    evictions.log.warn('a file of the cache could not be removed and will be tried again', { content: claim.contentId, error })
    return false
  }
}

async function unlinkBlobs({ disk, dir, stuck }: Evictions, { contentId, blobs }: Claim): Promise<void> {
  for (const { blobId, epoch } of blobs) {
    try {
      await disk.unlink(blobPath(dir, blobId, epoch))
    } catch (error) {
      // Gone already: a stop came between the unlink and its commit. Where the whole folder is away, its disk is, and nothing is gone.
      if (isMissing(error) && existsSync(join(dir, blobsFolder))) continue
      stuck.add(contentId)
      throw error
    }
  }
  stuck.delete(contentId)
}
