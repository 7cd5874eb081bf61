/** @walk read 5: reads a file that failed a verification again from its disk, and records what it found */
import { existsSync } from 'node:fs'
import type { Clock, Database, Log, Tx } from '#kernel'
import { isInDatabase } from '../../catalog/cached/cache-bytes-store.ts'
import type { BlobRef } from '../../catalog/cached/cache-entry-store.ts'
import { type KeptBlob, keptBlobsOf, recordDamage, recordIntact } from '../../catalog/cached/damage-store.ts'
import type { NeededContent } from '../../contract.ts'
import type { BlobReads } from '../blobs/blob-reads.ts'
import { RecentIds } from '../blobs/recent-ids.ts'
import type { Capacity } from '../capacity/reservation.ts'
import { startPath } from '../files/cache-paths.ts'
import type { CacheRoot } from '../files/cache-root.ts'
import { Quarantine, type QuarantineDeps } from './quarantine.ts'

/**
 * What a second look at a blob that failed a verification found. `intact`: its disk has the right bytes, so it can be read again. `gone`: it was
 * replaced or removed; look up the content again. `damaged`: it stays, and its bytes come from a provider or from nowhere. `unknown`: its disk
 * is not mounted or does not answer.
 */
export type BlobVerdict = 'intact' | 'gone' | 'damaged' | 'unknown'

interface DamageDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly root: CacheRoot
  readonly capacity: Capacity
  readonly reads: Pick<BlobReads, 'recheck' | 'stampOf' | 'pathOf'>
  readonly quarantine: Pick<Quarantine, 'admit' | 'bytesMax'>
  discard(blobs: readonly BlobRef[]): Promise<void>
  /** The bytes of a lost content are cached again. */
  onRecovered(tx: Tx, content: NeededContent): Promise<void>
}

type DamageOptions = Omit<DamageDeps, 'quarantine' | 'onRecovered' | 'reads'> &
  Pick<QuarantineDeps, 'disk' | 'maxBytes' | 'mayRelease'> &
  Partial<Pick<DamageDeps, 'onRecovered'>> & { readonly reads: DamageDeps['reads'] & QuarantineDeps['reads'] }

const faultyMs = 60_000
const faultyMax = 10_000

export interface SettleOptions {
  /** An operator confirmed that a file that cannot be read is damaged. */
  readonly isConfirmed?: boolean
  /** No read of this file failed: nothing is logged when it is intact. */
  readonly isReview?: boolean
}

/** `faulty`: files whose disk had wrong bytes, by blob id and stamp. */
type Looking = DamageDeps & { readonly faulty: RecentIds }

/** Decides about blobs that failed a verification or are missing. */
export function createDamage({ onRecovered = async () => {}, ...options }: DamageOptions) {
  const quarantine = new Quarantine({ ...options, onRecovered })
  const deps = { ...options, onRecovered, quarantine, faulty: new RecentIds(faultyMs, faultyMax) }
  /** Looks by blob id: readers that meet the same damage share the look. */
  const running = new Map<string, Promise<BlobVerdict>>()
  return {
    quarantine,
    settle(contentId: number, { blobId }: Pick<BlobRef, 'blobId'>, options: SettleOptions = {}): Promise<BlobVerdict> {
      const known = running.get(blobId)
      if (known) return known
      const look = settle(deps, { contentId, blobId, ...options }).finally(() => running.delete(blobId))
      running.set(blobId, look)
      return look
    },
  }
}

async function settle(
  deps: Looking,
  { contentId, blobId, isConfirmed = false, isReview = false }: SettleOptions & { readonly contentId: number; readonly blobId: string },
): Promise<BlobVerdict> {
  const blob = (await keptBlobsOf(deps.database.read, contentId)).find((kept) => kept.blobId === blobId)
  // A row is removed before its file (I-03), so a file without a row is no fault.
  if (!blob) return 'gone'
  const is = await look(deps, blob)
  if (is === 'unreadable' && !isConfirmed) return 'unknown'
  if ((is === 'unreadable' || is === 'missing') && !(await isMounted(deps.root, blob))) return 'unknown'
  if (is === 'intact') {
    if (blob.damagedAtMs !== null) await heal(deps, contentId, blob)
    else if (!isReview)
      deps.log.warn(
        'a cached file was read with other bytes than its disk has; check memory, cables and controllers',
        blobOf(contentId, blob),
      )
    return 'intact'
  }
  if (blob.damagedAtMs !== null && blob.readableCopies === 0) return 'damaged'
  return record(deps, contentId, { blob, hasFile: is === 'damaged' })
}

/** The result for a marked file that did not change is kept for a while: its readers retry. */
async function look({ reads, faulty }: Looking, blob: KeptBlob) {
  const id = `${blob.blobId} ${await reads.stampOf(blob)}`
  if (blob.damagedAtMs !== null && faulty.has(id)) return 'damaged'
  const { is } = await reads.recheck(blob)
  if (is === 'damaged') faulty.add(id)
  return is
}

/** I-38. Without the folder of the start that wrote the file, its disk is another one now. */
const isMounted = async (root: CacheRoot, blob: BlobRef): Promise<boolean> =>
  isInDatabase(blob) || ((await root.isPresent()) && existsSync(startPath(root.dir, blob.epoch)))

const blobOf = (contentId: number, { blobId }: KeptBlob) => ({ content: contentId, blob: blobId })

async function heal({ database, log, onRecovered }: DamageDeps, contentId: number, blob: KeptBlob): Promise<void> {
  await database.write(async (tx) => {
    const recovered = await recordIntact(tx, contentId, blob.blobId)
    if (recovered) await onRecovered(tx, recovered)
  })
  log.info('a damaged cached file was verified; its bytes are served again', blobOf(contentId, blob))
}

interface FoundDamage {
  readonly blob: KeptBlob
  /** A file that can be moved. */
  readonly hasFile: boolean
}

async function record(deps: DamageDeps, contentId: number, { blob, hasFile }: FoundDamage): Promise<BlobVerdict> {
  const { database, clock, log, capacity, reads, quarantine, discard } = deps
  const mayQuarantine = hasFile && !isInDatabase(blob) && blob.length <= quarantine.bytesMax
  const recorded = await database.write(async (tx) => {
    const outcome = await recordDamage(tx, { contentId, blobId: blob.blobId, nowMs: clock.now(), mayQuarantine })
    if (typeof outcome === 'object') tx.afterCommit(() => capacity.release(outcome.freedBytes))
    return outcome
  })
  if (recorded === 'gone') return 'gone'
  const fields = { ...blobOf(contentId, blob), ...(!isInDatabase(blob) && { path: reads.pathOf(blob) }) }
  if (recorded === 'marked') {
    if (blob.damagedAtMs === null)
      log.error('cached file missing or damaged; what is left is kept, and reads need a provider; run svc doctor for the next step', fields)
    return 'damaged'
  }
  log.error('cached file missing or damaged; removed from the cache, because a provider has a copy', fields)
  await discard(recorded.discarded)
  await quarantine.admit(recorded.quarantined)
  return 'gone'
}
