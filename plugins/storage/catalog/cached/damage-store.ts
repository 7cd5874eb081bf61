/**
 * Cached files that are missing or have other bytes than their content. Where no provider has a readable copy, they may be all that is left:
 * the files are marked and stay, and their entry is `damaged`, so that nothing evicts, uploads or counts it as cached bytes.
 */
import type { Params, Reader, Tx } from '#kernel'
import type { NeededContent } from '../../contract.ts'
import { clearLost, markLostIfUnreadable } from '../contents/content-state-store.ts'
import { lockLiveContent } from '../contents/live-content-store.ts'
import { type AtContent, statement } from '../entities/tables.ts'
import { type ExpectedBlob, removeEntryAndBlobs } from './cache-entry-store.ts'
import { addToQuarantine } from './quarantine-store.ts'
import { hasEnoughCopies, updateReleasable } from './releasable-store.ts'

/** A file that an entry keeps, whether it serves reads or not. */
export interface KeptBlob extends ExpectedBlob {
  readonly damagedAtMs: number | null
  readonly readableCopies: number
}

const keptBlobs = statement((db, { contentId }: AtContent) =>
  db
    .selectFrom('cache_entries as e')
    .innerJoin('cache_blobs as b', 'b.content_id', 'e.content_id')
    .innerJoin('contents as c', 'c.id', 'e.content_id')
    .select(['b.blob_id as blobId', 'b.epoch', 'b.length', 'b.damaged_at as damagedAtMs'])
    .select(['b.block_checksums as blockChecksums', 'c.readable_copies as readableCopies', 'e.awaits_proof as awaitsProof'])
    .select(({ fn }) => fn.coalesce('b.sha256', 'c.sha256').as('sha256'))
    .where('e.content_id', '=', contentId)
    .where('e.state', 'in', ['present', 'damaged'])
    .orderBy('b.ordinal'),
)

const setDamaged = statement((db, { blobId, nowMs }: Params<{ blobId: string; nowMs: number }>) =>
  db.updateTable('cache_blobs').set({ damaged_at: nowMs }).where('blob_id', '=', blobId).where('damaged_at', 'is', null),
)

const setEntryDamaged = statement((db, { contentId }: AtContent) =>
  db
    .updateTable('cache_entries')
    .set({ state: 'damaged', releasable: 0 })
    .where('content_id', '=', contentId)
    .where('state', '=', 'present'),
)

const setIntact = statement((db, { contentId, blobId }: AtContent<{ blobId: string }>) =>
  db.updateTable('cache_blobs').set({ damaged_at: null }).where('content_id', '=', contentId).where('blob_id', '=', blobId),
)

const setEntryPresent = statement((db, { contentId }: AtContent) =>
  db
    .updateTable('cache_entries')
    .set({ state: 'present' })
    .where('content_id', '=', contentId)
    .where('state', '=', 'damaged')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('cache_blobs').select('blob_id').where('content_id', '=', contentId).where('damaged_at', 'is not', null))),
    ),
)

const countDamagedFiles = statement((db) =>
  db
    .selectFrom('cache_blobs')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('damaged_at', 'is not', null),
)

const damagedBefore = statement((db, { beforeMs, limit }: Params<{ beforeMs: number; limit: number }>) =>
  db
    .selectFrom('cache_blobs as b')
    .innerJoin('contents as c', 'c.id', 'b.content_id')
    .innerJoin('cache_entries as e', 'e.content_id', 'b.content_id')
    .select('c.id')
    .distinct()
    .where('b.damaged_at', 'is not', null)
    .where('b.damaged_at', '<', beforeMs)
    .where('c.readable_copies', '>', 0)
    .where('e.awaits_proof', '=', 0)
    .limit(limit),
)

/** I-02. */
const findRemovable = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('cache_entries as e')
    .select('e.content_id')
    .where('e.content_id', '=', contentId)
    .where('e.awaits_proof', '=', 0)
    .where(hasEnoughCopies()),
)

/** The files of an entry in the order of its bytes; none when it was removed or is being evicted. */
export function keptBlobsOf(read: Reader, contentId: number): Promise<readonly KeptBlob[]> {
  return read.all(keptBlobs, { contentId })
}

export async function countDamaged(read: Reader): Promise<number> {
  return Number((await read.get(countDamagedFiles))?.n ?? 0)
}

/** Contents with a readable copy, a file of which was marked before this time. */
export async function contentsDamagedBefore(read: Reader, page: { readonly beforeMs: number; readonly limit: number }): Promise<number[]> {
  return (await read.all(damagedBefore, page)).map(({ id }) => id)
}

interface Damage {
  readonly contentId: number
  readonly blobId: string
  readonly nowMs: number
  /** The file of the blob is worth keeping for a while: it exists, and is not too large. */
  readonly mayQuarantine: boolean
}

interface Removed {
  /** Bytes by which the cache shrank. */
  readonly freedBytes: number
  readonly quarantined: readonly KeptBlob[]
  /** Unlink them after the commit. */
  readonly discarded: readonly KeptBlob[]
}

/**
 * A file of the content failed a verification (I-37). `gone`: it has been replaced or is being removed. `marked`: it stays. Otherwise a
 * provider has a readable copy, and the entry of this single file is removed: intact files beside it are never removed.
 */
export async function recordDamage(tx: Tx, { contentId, blobId, nowMs, mayQuarantine }: Damage): Promise<'gone' | 'marked' | Removed> {
  const content = await lockLiveContent(tx, contentId)
  const blobs = await tx.all(keptBlobs, { contentId })
  const damaged = blobs.find((blob) => blob.blobId === blobId)
  if (!content || !damaged) return 'gone'
  const hasCopy = damaged.readableCopies > 0 && damaged.awaitsProof === 0
  if (hasCopy && blobs.length === 1) {
    const freedBytes = await removeEntryAndBlobs(tx, contentId)
    if (!mayQuarantine) return { freedBytes, quarantined: [], discarded: blobs }
    await addToQuarantine(tx, { ...damaged, contentId, nowMs })
    return { freedBytes: freedBytes - damaged.length, quarantined: blobs, discarded: [] }
  }
  await tx.run(setDamaged, { blobId, nowMs })
  await tx.run(setEntryDamaged, { contentId })
  await markLostIfUnreadable(tx, contentId)
  return 'marked'
}

/** A marked file was verified. Returns the content when it was lost and all its bytes are cached again: its keepers must make copies. */
export async function recordIntact(tx: Tx, contentId: number, blobId: string): Promise<NeededContent | undefined> {
  const row = await lockLiveContent(tx, contentId)
  await tx.run(setIntact, { contentId, blobId })
  if ((await tx.run(setEntryPresent, { contentId })).changes === 0) return undefined
  await updateReleasable(tx, contentId)
  if (row?.storeState !== 'lost') return undefined
  await clearLost(tx, contentId)
  const { storeState: _, ...content } = row
  return { ...content, reason: 'recovered' }
}

/** Removes an entry with marked files whose content has a readable copy. */
export async function dropDamaged(tx: Tx, contentId: number): Promise<Removed> {
  const content = await lockLiveContent(tx, contentId)
  const blobs = await tx.all(keptBlobs, { contentId })
  const isDamaged = blobs.some(({ damagedAtMs }) => damagedAtMs !== null)
  if (!isDamaged || (content && !(await tx.get(findRemovable, { contentId })))) return { freedBytes: 0, quarantined: [], discarded: [] }
  return { freedBytes: await removeEntryAndBlobs(tx, contentId), quarantined: [], discarded: blobs }
}
