import type { QueryCreator } from 'kysely'
import type { Params, Reader } from '#kernel'
import type { ObjectVersion } from '../contract.ts'
import type { ExpectedBlob } from './cache-entry-store.ts'
import { StoredVersion, type VersionRow, versionColumns } from './stored-version.ts'
import { type StorageTables, statement } from './tables.ts'
import { isNewest, type OfKey, type OfVersion, versions } from './version-store.ts'

/** With the cached file. */
const locations = (db: QueryCreator<StorageTables>) =>
  versions(db)
    .leftJoin('cache_entries as e', (join) => join.onRef('e.content_id', '=', 'v.content_id').on('e.state', '=', 'present'))
    .leftJoin('cache_blobs as b', (join) => join.onRef('b.content_id', '=', 'e.content_id').on('b.ordinal', '=', 0))
    .leftJoin('contents as c', 'c.id', 'v.content_id')
    .select([...versionColumns, 'e.accessed_at as accessedAtMs', 'b.blob_id as blobId', 'b.epoch', 'b.length', 'c.sha256'])
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

/** The cached file of a content. */
const locateOne = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('cache_entries as e')
    .innerJoin('cache_blobs as b', (join) => join.onRef('b.content_id', '=', 'e.content_id').on('b.ordinal', '=', 0))
    .innerJoin('contents as c', 'c.id', 'b.content_id')
    .select(['e.accessed_at as accessedAtMs', 'b.blob_id as blobId', 'b.epoch', 'b.length', 'c.sha256'])
    .where('e.content_id', '=', contentId)
    .where('e.state', '=', 'present'),
)

export interface LocatedFile {
  /** The cached file; undefined when the bytes are not cached. */
  readonly blob: ExpectedBlob | undefined
  readonly accessedAtMs: number
}

export interface LocatedVersion extends LocatedFile {
  readonly version: ObjectVersion
  /** Number of contents that the bytes are split into; 0: one content. */
  readonly partCount: number
  /** The bytes are neither in the cache nor at a provider. */
  readonly isLost: boolean
}

/** Like findVersion; the same lookup also returns the cached file. */
export async function locateVersion(read: Reader, bucketId: number, key: string, versionId?: string): Promise<LocatedVersion | undefined> {
  if (versionId === undefined) {
    const row = await read.get(locateCurrent, { bucketId, key })
    return row && toLocated(row, true)
  }
  const row = await read.get(locateById, { versionId, bucketId, key })
  return row && toLocated(row, row.isCurrent === 1)
}

interface LocatedRow extends VersionRow {
  readonly accessedAtMs: number | null
  readonly blobId: string | null
  readonly epoch: number | null
  readonly length: number | null
  readonly sha256: string | null
  readonly partCount: number | null
  readonly storeState: string | null
}

function toLocated(row: LocatedRow, isCurrent: boolean): LocatedVersion {
  const { partCount, storeState, accessedAtMs } = row
  return {
    version: new StoredVersion(row, isCurrent),
    blob: toBlob(row),
    accessedAtMs: accessedAtMs ?? 0,
    partCount: partCount ?? 0,
    isLost: storeState === 'lost',
  }
}

function toBlob({ blobId, epoch, length, sha256 }: Pick<LocatedRow, 'blobId' | 'epoch' | 'length' | 'sha256'>): ExpectedBlob | undefined {
  return blobId === null || epoch === null || length === null ? undefined : { blobId, epoch, length, sha256 }
}

/** The cached file of a content, such as a part of a composite. */
export async function locateContent(read: Reader, contentId: number): Promise<LocatedFile> {
  const row = await read.get(locateOne, { contentId })
  return row ? { blob: toBlob(row), accessedAtMs: row.accessedAtMs } : { blob: undefined, accessedAtMs: 0 }
}
