/** Rows of the head of a key, and of the tombstone of a deleted one. */
import type { Params } from '#kernel'
import { statement } from '../entities/tables.ts'

export interface OfKey {
  readonly bucketId: number
  readonly key: string
}

export interface OfVersion extends OfKey {
  readonly versionId: string
}

export const removeHead = statement((db, { bucketId, key }: Params<OfKey>) =>
  db.deleteFrom('object_heads').where('bucket_id', '=', bucketId).where('key', '=', key),
)
export const removeTombstone = statement((db, { bucketId, key }: Params<OfKey>) =>
  db.deleteFrom('object_tombstones').where('bucket_id', '=', bucketId).where('key', '=', key),
)

interface NewHead extends OfVersion {
  readonly rseq: number
  readonly contentId: number
  readonly size: number
  readonly etag: string
  readonly checksum: string | null
  readonly nowMs: number
}

export const setHead = statement((db, { bucketId, key, versionId, rseq, contentId, size, etag, checksum, nowMs }: Params<NewHead>) =>
  db
    .insertInto('object_heads')
    .values({ bucket_id: bucketId, key, version_id: versionId, rseq, content_id: contentId, size, etag, checksum, last_modified: nowMs })
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'key']).doUpdateSet(({ ref }) => ({
        version_id: ref('excluded.version_id'),
        rseq: ref('excluded.rseq'),
        content_id: ref('excluded.content_id'),
        size: ref('excluded.size'),
        etag: ref('excluded.etag'),
        checksum: ref('excluded.checksum'),
        last_modified: ref('excluded.last_modified'),
      })),
    ),
)

interface NewTombstone extends OfVersion {
  readonly rseq: number
  readonly nowMs: number
  readonly isRestorable: number
}

/** A marker above another marker leaves the key as restorable as it was. */
export const writeTombstone = statement((db, { bucketId, key, versionId, rseq, nowMs, isRestorable }: Params<NewTombstone>) =>
  db
    .insertInto('object_tombstones')
    .values({ bucket_id: bucketId, key, marker_version_id: versionId, rseq, deleted_at: nowMs, is_restorable: isRestorable })
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'key']).doUpdateSet(({ ref }) => ({
        marker_version_id: ref('excluded.marker_version_id'),
        rseq: ref('excluded.rseq'),
        deleted_at: ref('excluded.deleted_at'),
      })),
    ),
)
