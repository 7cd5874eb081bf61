import type { QueryCreator } from 'kysely'
import type { Params, Reader } from '#kernel'
import { type ExpectedBlob, expectedBlobs } from '../cached/cache-entry-store.ts'
import { type StorageTables, statement } from '../entities/tables.ts'
import type { OfKey, OfVersion } from './head-store.ts'
import { StoredVersion, type VersionRow, versionColumns } from './stored-version.ts'
import { isNewest, versions } from './version-store.ts'

/** Includes the cached file. */
const locations = (db: QueryCreator<StorageTables>) =>
  versions(db)
    .leftJoin('cache_entries as e', (join) => join.onRef('e.content_id', '=', 'v.content_id').on('e.state', 'in', ['present', 'damaged']))
    .leftJoin('cache_blobs as b', (join) => join.onRef('b.content_id', '=', 'e.content_id').on('b.ordinal', '=', 0))
    .leftJoin('contents as c', 'c.id', 'v.content_id')
    .select([...versionColumns, 'e.accessed_at as accessedAtMs', 'e.state as entryState', 'b.blob_id as blobId', 'b.epoch', 'b.length'])
    .select(({ fn }) => fn.coalesce('b.sha256', 'c.sha256').as('sha256'))
    .select(['c.part_count as partCount', 'c.store_state as storeState'])

const locateCurrent = statement((db, { bucketId, key }: Params<OfKey>) =>
  locations(db).where('v.bucket_id', '=', bucketId).where('v.key', '=', key).orderBy('v.rseq').limit(1),
)
const locateById = statement((db, { versionId, bucketId, key }: Params<OfVersion>) =>
  locations(db)
    .select(isNewest.as('isCurrent'))
    .where('v.version_id', '=', versionId)
    .where('v.bucket_id', '=', bucketId)
    .where('v.key', '=', key),
)

const selectEntry = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.selectFrom('cache_entries').select(['accessed_at as accessedAtMs', 'state as entryState']).where('content_id', '=', contentId),
)

export interface LocatedFiles {
  /** The cached files in the order of the bytes; none when they are not cached, or not all of them are intact. */
  readonly blobs: readonly ExpectedBlob[]
  /** The entry keeps files, at least one of which is damaged: see damage-store.ts. */
  readonly isDamaged: boolean
  readonly accessedAtMs: number
}

export interface LocatedVersion extends LocatedFiles {
  readonly version: StoredVersion
  /** Number of contents that the bytes are split into; 0: one content. */
  readonly partCount: number
  /** The bytes are neither in the cache nor at a provider. */
  readonly isLost: boolean
}

/** Finds what findVersion does; the same lookup also returns the cached file. More files need a second lookup. */
export async function locateVersion(read: Reader, bucketId: number, key: string, versionId?: string): Promise<LocatedVersion | undefined> {
  if (versionId === undefined) {
    const row = await read.get(locateCurrent, { bucketId, key })
    return row && withAllBlobs(read, toLocated(row, true))
  }
  const row = await read.get(locateById, { versionId, bucketId, key })
  return row && withAllBlobs(read, toLocated(row, row.isCurrent === 1))
}

interface LocatedRow extends VersionRow {
  readonly accessedAtMs: number | null
  readonly entryState: string | null
  readonly blobId: string | null
  readonly epoch: number | null
  readonly length: number | null
  readonly sha256: string | null
  readonly partCount: number | null
  readonly storeState: string | null
}

function toLocated(row: LocatedRow, isCurrent: boolean): LocatedVersion {
  const { blobId, epoch, length, sha256, partCount, storeState, accessedAtMs, entryState } = row
  const isDamaged = entryState === 'damaged'
  return {
    version: new StoredVersion(row, isCurrent),
    blobs: isDamaged || blobId === null || epoch === null || length === null ? [] : [{ blobId, epoch, length, sha256 }],
    isDamaged,
    accessedAtMs: accessedAtMs ?? 0,
    partCount: partCount ?? 0,
    isLost: storeState === 'lost',
  }
}

function withAllBlobs(read: Reader, located: LocatedVersion): LocatedVersion | Promise<LocatedVersion> {
  const { version, blobs } = located
  const [first] = blobs
  if (!first || first.length === version.size || version.contentId === null) return located
  return expectedBlobs(read, version.contentId).then((all) => ({ ...located, blobs: all }))
}

/** The cached files of a content, such as a part of a composite. */
export async function locateContent(read: Reader, contentId: number): Promise<LocatedFiles> {
  const [blobs, entry] = [await expectedBlobs(read, contentId), await read.get(selectEntry, { contentId })]
  return { blobs, isDamaged: entry?.entryState === 'damaged', accessedAtMs: entry?.accessedAtMs ?? 0 }
}
