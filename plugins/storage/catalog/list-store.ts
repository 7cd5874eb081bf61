import type { Reader, SqlValue } from '#kernel'
import type { ListEntry } from '../contract.ts'

/** Keys of one bucket with `low` <= key and, if given, key < `high`. */
export interface KeyRange {
  readonly bucketId: number
  readonly low: string
  readonly high: string | undefined
}

const entryColumns = (table: string) =>
  `${table}.id, ${table}.key, ${table}.version_id as "versionId", ${table}.content_id as "contentId", ${table}.size, ${table}.etag,
   ${table}.last_modified as "lastModifiedMs"`

const flatSql = (bound: string) =>
  `select ${entryColumns('h')} from object_heads h where h.bucket_id = ? and h.key >= ? ${bound} order by h.key limit ?`

const flat = { open: flatSql(''), bounded: flatSql('and h.key < ?') }

/** Current objects in order of key, at most `limit`. */
export async function listFlat(read: Reader, { bucketId, low, high }: KeyRange, limit: number): Promise<ListEntry[]> {
  return high === undefined
    ? read.all<ListEntry>(flat.open, bucketId, low, limit)
    : read.all<ListEntry>(flat.bounded, bucketId, low, high, limit)
}

interface Roll {
  readonly prefix: string
  readonly delimiter: string
  /** `successorOf(delimiter)`. */
  readonly delimiterSuccessor: string
}

/** Either a common prefix or an entry. */
interface RolledRow extends ListEntry {
  readonly commonPrefix: string | null
}

/** 1-based position of the first delimiter after the prefix in the key of `w`, counted from the end of the prefix; 0 if none. */
const at = 'instr(substr(w.key, ?), ?)'
const group = `substr(w.key, 1, ? + ${at} - 1)`

/**
 * Skip scan: one index probe per result, independent of the number of keys under a common prefix. The recursive table must be used
 * directly in FROM, otherwise SQLite materialises it.
 */
const walkSql = (bound: string) => `
  with recursive walk (n, key) as (
    select 1, (select h.key from object_heads h where h.bucket_id = ? and h.key >= ? ${bound} order by h.key limit 1)
    union all
    select w.n + 1, (select h.key from object_heads h where h.bucket_id = ?
        and h.key >= case when ${at} > 0 then ${group} || ? else w.key || char(1) end ${bound} order by h.key limit 1)
    from walk w where w.key is not null and w.n < ?)
  select case when ${at} > 0 then ${group} || ? end as "commonPrefix", ${entryColumns('h')}
  from walk w left join object_heads h on h.bucket_id = ? and h.key = w.key and ${at} = 0
  where w.key is not null order by w.n`

const walk = { open: walkSql(''), bounded: walkSql('and h.key < ?') }

/** Entries and common prefixes in order, at most `limit` together. */
export async function listRolled(read: Reader, { bucketId, low, high }: KeyRange, roll: Roll, limit: number): Promise<RolledRow[]> {
  const bound: readonly SqlValue[] = high === undefined ? [] : [high]
  const prefixLength = Array.from(roll.prefix).length
  const found: readonly SqlValue[] = [prefixLength + 1, roll.delimiter]
  const isGrouped = [...found, prefixLength, ...found]
  return read.all<RolledRow>(
    high === undefined ? walk.open : walk.bounded,
    ...[bucketId, low, ...bound],
    ...[bucketId, ...isGrouped, roll.delimiterSuccessor, ...bound, limit],
    ...[...isGrouped, roll.delimiter],
    ...[bucketId, ...found],
  )
}
