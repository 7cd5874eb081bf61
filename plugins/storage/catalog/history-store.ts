import type { Reader } from '#kernel'
import { StoredVersion, type VersionRow } from './stored-version.ts'
import { versionColumns } from './version-store.ts'

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

const rangeSql = (bound: string) =>
  `select ${versionColumns} from object_versions v where v.bucket_id = ? and (v.key, v.rseq) > (?, ?) ${bound} order by v.key, v.rseq limit ?`
const range = { open: rangeSql(''), bounded: rangeSql('and v.key < ?') }

/** Versions and delete markers in order, at most `limit`. */
export async function listVersionRows(read: Reader, { bucketId, after, high }: VersionRange, limit: number): Promise<VersionRow[]> {
  return high === undefined
    ? read.all<VersionRow>(range.open, bucketId, after.key, after.rseq, limit)
    : read.all<VersionRow>(range.bounded, bucketId, after.key, after.rseq, high, limit)
}

/** Versions of one key after `afterRseq`, newest first. */
export async function listKeyRows(
  read: Reader,
  key: { readonly bucketId: number; readonly key: string },
  afterRseq: number,
  limit: number,
) {
  return read.all<VersionRow>(
    `select ${versionColumns} from object_versions v where v.bucket_id = ? and v.key = ? and v.rseq > ? order by v.rseq limit ?`,
    key.bucketId,
    key.key,
    afterRseq,
    limit,
  )
}

/** The rseq of a version: its position within its key. Undefined when the version does not exist. */
export async function findRseq(read: Reader, { bucketId, key }: { readonly bucketId: number; readonly key: string }, versionId: string) {
  return read.get<{ rseq: number }>(
    'select rseq from object_versions where version_id = ? and bucket_id = ? and key = ?',
    versionId,
    bucketId,
    key,
  )?.rseq
}

/** Keys of a bucket with `low` <= key < `high`. */
interface KeyRange {
  readonly bucketId: number
  readonly low: string
  readonly high: string | undefined
}

interface DeletedRow {
  readonly key: string
  readonly markerVersionId: string
  readonly deletedAtMs: number
  /** The version that a restore makes current. */
  readonly restorable: StoredVersion
}

/** Above every key. */
const noBound = '\u{10ffff}\u{10ffff}'

/** Keys whose current version is a delete marker and that still have a version with bytes, in order of key. */
export async function listDeletedRows(read: Reader, { bucketId, low, high }: KeyRange, limit: number): Promise<DeletedRow[]> {
  const rows = read.all<VersionRow & { readonly marker_version_id: string; readonly deleted_at: number }>(
    `select t.marker_version_id, t.deleted_at, ${versionColumns} from object_tombstones t
       join object_versions v on v.bucket_id = t.bucket_id and v.key = t.key and v.rseq = (
         select d.rseq from object_versions d where d.bucket_id = t.bucket_id and d.key = t.key and d.is_delete_marker = 0
         order by d.rseq limit 1)
     where t.bucket_id = ? and t.is_restorable = 1 and t.key >= ? and t.key < ? order by t.key limit ?`,
    bucketId,
    low,
    high ?? noBound,
    limit,
  )
  return rows.map((row) => ({
    key: row.key,
    markerVersionId: row.marker_version_id,
    deletedAtMs: row.deleted_at,
    restorable: new StoredVersion(row, false),
  }))
}

const isCurrentMarker = `exists (select 1 from object_tombstones t
  where t.bucket_id = v.bucket_id and t.key = v.key and t.marker_version_id = v.version_id) as is_current`

// The indexes are named because SQLite cannot estimate how many versions are markers.
const byTime = 'object_versions_markers'
const byKey = 'object_versions_markers_of_key'
const markerSql = (index: string, of = '') =>
  `select ${versionColumns}, ${isCurrentMarker} from object_versions v indexed by ${index}
   where v.bucket_id = ? and v.is_delete_marker = 1 and v.version_id < ? ${of} order by v.version_id desc limit ?`
const inRange = 'and v.key >= ? and v.key < ?'
const markers = {
  all: markerSql(byTime),
  ofKey: markerSql(byKey, 'and v.key = ?'),
  /** Scans all markers from the newest: fast when many of them are in the range. */
  ofMany: markerSql(byTime, inRange),
  /** Sorts the markers of the range: fast when it has few. */
  ofFew: markerSql(byKey, inRange),
}
/** Ranges with fewer markers than this are sorted. */
const fewMarkers = 2000

/** Delete markers, newest first, after the version id `after`: of `key` if given, otherwise of the range. */
export async function listMarkerRows(read: Reader, keys: KeyRange & { readonly key: string | undefined }, after: string, limit: number) {
  const { bucketId, key, low, high } = keys
  if (key !== undefined) return await readMarkers(read, markers.ofKey, bucketId, after, key, limit)
  if (low === '' && high === undefined) return await readMarkers(read, markers.all, bucketId, after, limit)
  const sql = (await hasFewMarkers(read, keys)) ? markers.ofFew : markers.ofMany
  return await readMarkers(read, sql, bucketId, after, low, high ?? noBound, limit)
}

const readMarkers = async (read: Reader, sql: string, ...params: readonly (string | number)[]): Promise<StoredVersion[]> =>
  read.all<VersionRow & { readonly is_current: number }>(sql, ...params).map((row) => new StoredVersion(row, row.is_current === 1))

async function hasFewMarkers(read: Reader, { bucketId, low, high = noBound }: KeyRange): Promise<boolean> {
  const row = read.get<{ n: number }>(
    `select count(*) as n from (select 1 from object_versions v indexed by ${byKey}
       where v.bucket_id = ? and v.is_delete_marker = 1 and v.key >= ? and v.key < ? limit ${fewMarkers})`,
    bucketId,
    low,
    high,
  )
  return (row?.n ?? 0) < fewMarkers
}
