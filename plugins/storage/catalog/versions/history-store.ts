import { type QueryCreator, sql } from 'kysely'
import { type Params, type Reader, sqlStatement } from '#kernel'
import { type StorageTables, statement } from '../entities/tables.ts'
import type { KeyRange } from './list-store.ts'
import { StoredVersion, type VersionRow, versionColumns, versionColumnsSql } from './stored-version.ts'

/** Lower than any rseq: as a cursor it comes before the newest version of a key. */
export const rseqMin = Number.MIN_SAFE_INTEGER

/** Position in the order by key, then newest version first. */
export interface Cursor {
  readonly key: string
  readonly rseq: number
}

interface VersionRange {
  readonly bucketId: number
  /** Exclusive lower bound. */
  readonly after: Cursor
  /** Exclusive upper bound of keys. */
  readonly high: string | undefined
}

interface Page extends Cursor {
  readonly bucketId: number
  readonly limit: number
}

const rows = (db: QueryCreator<StorageTables>) => db.selectFrom('object_versions as v').select(versionColumns)

const after = (db: QueryCreator<StorageTables>, { bucketId, key, rseq, limit }: Params<Page>) =>
  rows(db)
    .where('v.bucket_id', '=', bucketId)
    .where(sql<boolean>`(v.key, v.rseq) > (${key}, ${rseq})`)
    .orderBy('v.key')
    .orderBy('v.rseq')
    .limit(limit)

const listOpen = statement((db, page: Params<Page>) => after(db, page))
const listBounded = statement((db, page: Params<Page & { high: string }>) => after(db, page).where('v.key', '<', page.high))

/** Versions and delete markers in order, at most `limit`. */
export async function listVersionRows(read: Reader, { bucketId, after, high }: VersionRange, limit: number): Promise<VersionRow[]> {
  const page = { bucketId, ...after, limit }
  return high === undefined ? await read.all(listOpen, page) : await read.all(listBounded, { ...page, high })
}

const listOfKey = statement((db, { bucketId, key, rseq, limit }: Params<Page>) =>
  rows(db).where('v.bucket_id', '=', bucketId).where('v.key', '=', key).where('v.rseq', '>', rseq).orderBy('v.rseq').limit(limit),
)

/** Versions of one key after the cursor, newest first. */
export async function listKeyRows(read: Reader, bucketId: number, after: Cursor, limit: number): Promise<VersionRow[]> {
  return await read.all(listOfKey, { bucketId, ...after, limit })
}

const findPlace = statement((db, { bucketId, key, versionId }: Params<{ bucketId: number; key: string; versionId: string }>) =>
  db
    .selectFrom('object_versions')
    .select('rseq')
    .where('version_id', '=', versionId)
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key),
)

/** The rseq of a version: its position within its key. Undefined when the version does not exist. */
export async function findRseq(
  read: Reader,
  { bucketId, key }: { readonly bucketId: number; readonly key: string },
  versionId: string,
): Promise<number | undefined> {
  return (await read.get(findPlace, { bucketId, key, versionId }))?.rseq
}

interface DeletedRow {
  readonly key: string
  readonly markerVersionId: string
  readonly deletedAtMs: number
  /** The version that a restore makes current. */
  readonly restorable: StoredVersion
}

/** Above every key. */
export const noBound = '\u{10ffff}\u{10ffff}'

interface Range {
  readonly bucketId: number
  readonly low: string
  readonly high: string
}

const listRestorable = statement((db, { bucketId, low, high, limit }: Params<Range & { limit: number }>) =>
  db
    .selectFrom('object_tombstones as t')
    .innerJoin('object_versions as v', (join) =>
      join
        .onRef('v.bucket_id', '=', 't.bucket_id')
        .onRef('v.key', '=', 't.key')
        .on('v.rseq', '=', ({ selectFrom }) =>
          selectFrom('object_versions as d')
            .select('d.rseq')
            .whereRef('d.bucket_id', '=', 't.bucket_id')
            .whereRef('d.key', '=', 't.key')
            .where('d.is_delete_marker', '=', 0)
            .orderBy('d.rseq')
            .limit(1),
        ),
    )
    .select(['t.marker_version_id as markerVersionId', 't.deleted_at as deletedAtMs', ...versionColumns])
    .where('t.bucket_id', '=', bucketId)
    .where('t.is_restorable', '=', 1)
    .where('t.key', '>=', low)
    .where('t.key', '<', high)
    .orderBy('t.key')
    .limit(limit),
)

/** Keys whose current version is a delete marker and that still have a version with bytes, in order of key. */
export async function listDeletedRows(read: Reader, { bucketId, low, high = noBound }: KeyRange, limit: number): Promise<DeletedRow[]> {
  const found = await read.all(listRestorable, { bucketId, low, high, limit })
  return found.map((row) => ({
    key: row.key,
    markerVersionId: row.markerVersionId,
    deletedAtMs: row.deletedAtMs,
    restorable: new StoredVersion(row, false),
  }))
}

type MarkerRow = VersionRow & { readonly isCurrent: number }

const markerColumns = `${versionColumnsSql}, exists (select 1 from object_tombstones t
  where t.bucket_id = v.bucket_id and t.key = v.key and t.marker_version_id = v.version_id) as "isCurrent"`

// Statements by hand: the indexes are named on SQLite, because it cannot estimate how many versions are markers.
const byTime = 'object_versions_markers'
const byKey = 'object_versions_markers_of_key'
const markersBy = (index: string) => `object_versions v indexed by ${index}`
const newestMarkers = (from: string, of = '') =>
  `select ${markerColumns} from ${from}
   where v.bucket_id = :bucketId and v.is_delete_marker = 1 and v.version_id < :after ${of} order by v.version_id desc limit :limit`
const newestBy = (index: string, of?: string) => ({
  sqlite: newestMarkers(markersBy(index), of),
  postgres: newestMarkers('object_versions v', of),
})
const inRange = 'and v.key >= :low and v.key < :high'

interface MarkerPage {
  readonly bucketId: number
  readonly after: string
  readonly limit: number
}

const allMarkers = sqlStatement<MarkerPage, MarkerRow>(newestBy(byTime))
const markersOfKey = sqlStatement<MarkerPage & { key: string }, MarkerRow>(newestBy(byKey, 'and v.key = :key'))
/** Scans all markers from the newest: fast when many of them are in the range. */
const markersOfMany = sqlStatement<MarkerPage & Range, MarkerRow>(newestBy(byTime, inRange))
/** Sorts the markers of the range: fast when it has few. */
const markersOfFew = sqlStatement<MarkerPage & Range, MarkerRow>({
  sqlite: newestMarkers(markersBy(byKey), inRange),
  // Materialised, because the order of the limited rows would suggest the other index.
  postgres: `with v as materialized (select * from object_versions v
      where v.bucket_id = :bucketId and v.is_delete_marker = 1 and v.version_id < :after ${inRange})
    select ${markerColumns} from v order by v.version_id desc limit :limit`,
})
/** Ranges with fewer markers than this are sorted. */
const fewMarkers = 2000

const countMarkers = (from: string) => `select count(*) as n from (select 1 from ${from}
  where v.bucket_id = :bucketId and v.is_delete_marker = 1 and v.key >= :low and v.key < :high limit ${fewMarkers}) few`

const countRange = sqlStatement<Range, { n: number }>({
  sqlite: countMarkers(markersBy(byKey)),
  postgres: countMarkers('object_versions v'),
})

/** Delete markers, newest first, after the version id `after`: of `key` if given, otherwise of the range. */
export async function listMarkerRows(
  read: Reader,
  { bucketId, key, low, high }: KeyRange & { readonly key: string | undefined },
  after: string,
  limit: number,
): Promise<StoredVersion[]> {
  const page = { bucketId, after, limit }
  if (key !== undefined) return toMarkers(await read.all(markersOfKey, { ...page, key }))
  if (low === '' && high === undefined) return toMarkers(await read.all(allMarkers, page))
  const range = { bucketId, low, high: high ?? noBound }
  const { n = 0 } = (await read.get(countRange, range)) ?? {}
  return toMarkers(await read.all(n < fewMarkers ? markersOfFew : markersOfMany, { ...page, ...range }))
}

const toMarkers = (rows: readonly MarkerRow[]): StoredVersion[] => rows.map((row) => new StoredVersion(row, row.isCurrent === 1))
