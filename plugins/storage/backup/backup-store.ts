/** Rows of cached files, as a backup needs them. */
import { type Params, type Reader, sqlStatement } from '#kernel'
import { databaseEpoch } from '../catalog/cached/cache-bytes-store.ts'
import { hasEnoughCopies } from '../catalog/cached/releasable-store.ts'
import { statement } from '../catalog/entities/tables.ts'

interface Page {
  readonly after: string
  readonly limit: number
  /** 1: also the files of contents whose cached bytes may be removed. */
  readonly all: number
}

const page = statement((db, { after, limit, all }: Params<Page>) =>
  db
    .selectFrom('cache_blobs as f')
    .leftJoin('cache_entries as e', 'e.content_id', 'f.content_id')
    .leftJoin('contents as c', 'c.id', 'f.content_id')
    .leftJoin('uploads as u', 'u.upload_id', 'f.upload_id')
    .innerJoin('buckets as b', (join) => join.on((on) => on('b.id', '=', on.fn.coalesce('c.bucket_id', 'u.bucket_id'))))
    .select(['f.blob_id as blobId', 'f.epoch', 'f.length', 'b.name as bucket', 'e.state'])
    .select((row) => [
      row.fn
        .coalesce('f.sha256', row.case().when('f.length', '=', row.ref('c.size')).then(row.ref('c.sha256')).else(null).end())
        .as('sha256'),
      row.fn
        .coalesce(
          'u.key',
          row
            .selectFrom('object_versions as v')
            .select(({ fn }) => fn.min('v.key').as('key'))
            .whereRef('v.content_id', '=', 'c.id'),
        )
        .as('key'),
    ])
    .where('f.epoch', '<>', databaseEpoch)
    .where('f.blob_id', '>', after)
    .where((row) => row.or([row('u.state', '=', 'open'), row('e.state', 'in', ['present', 'damaged'])]))
    .where((row) => row.or([row(all, '=', 1), row('e.content_id', 'is', null), row('e.releasable', '=', 0), row.not(hasEnoughCopies())]))
    .orderBy('f.blob_id')
    .limit(limit),
)

export const filesToBackUp = (
  read: Reader,
  { isAll, ...at }: { readonly after: string; readonly limit: number; readonly isAll: boolean },
) => read.all(page, { ...at, all: isAll ? 1 : 0 })

const removeQuarantine = statement((db) => db.deleteFrom('cache_quarantine'))

const removeEvicting = statement((db) =>
  db
    .deleteFrom('cache_blobs')
    .where('epoch', '<>', databaseEpoch)
    .where('content_id', 'in', (entries) =>
      entries.selectFrom('cache_entries as e').select('e.content_id').where('e.state', '=', 'evicting'),
    ),
)

/** The rule of an eviction (I-02): providers have the bytes. */
const removeReleasable = statement((db) =>
  db
    .deleteFrom('cache_blobs')
    .where('epoch', '<>', databaseEpoch)
    .where('content_id', 'in', (entries) =>
      entries
        .selectFrom('cache_entries as e')
        .select('e.content_id')
        .where('e.state', '=', 'present')
        .where('e.releasable', '=', 1)
        .where(hasEnoughCopies()),
    ),
)

const removeEmptyEntries = sqlStatement<Record<never, never>>(
  `delete from cache_entries where state in ('present', 'evicting')
   and not exists (select 1 from cache_blobs b where b.content_id = cache_entries.content_id)`,
)

/** Turns the rows of a copied database into those of the files that a backup has. */
export const leaveOutRows = (isAll: boolean) => [removeQuarantine, removeEvicting, ...(isAll ? [] : [removeReleasable]), removeEmptyEntries]

const uncached = sqlStatement<Record<never, never>, { contents: number; bytes: number }>(
  `select count(*) as contents, coalesce(sum(c.size), 0) as bytes from contents c
   where c.state = 'live' and c.size > 0 and c.part_count = 0 and c.store_state <> 'lost'
     and not exists (select 1 from cache_entries e where e.content_id = c.id)
     and not exists (select 1 from packs p where p.content_id = c.id)`,
)

/** Contents whose bytes are only at providers. */
export const countUncached = async (read: Reader) => (await read.get(uncached)) ?? { contents: 0, bytes: 0 }
