import type { NotNull, QueryCreator } from 'kysely'
import { type Params, type Reader, sqlStatement } from '#kernel'
import type { ListEntry, ListedKey } from '../../contract.ts'
import { type StorageTables, statement } from '../entities/tables.ts'

/** Keys of one bucket with `low` <= key and, if given, key < `high`. */
export interface KeyRange {
  readonly bucketId: number
  readonly low: string
  readonly high: string | undefined
}

interface FlatPage {
  readonly bucketId: number
  readonly low: string
  readonly limit: number
}

interface Bounded {
  readonly high: string
}

const flat = (db: QueryCreator<StorageTables>, { bucketId, low, limit }: Params<FlatPage>) =>
  db.selectFrom('object_heads').where('bucket_id', '=', bucketId).where('key', '>=', low).orderBy('key').limit(limit)
const flatBelow = (db: QueryCreator<StorageTables>, page: Params<FlatPage & Bounded>) => flat(db, page).where('key', '<', page.high)

// A trigger numbers every head.
const entryColumns = [
  'id',
  'key',
  'version_id as versionId',
  'content_id as contentId',
  'size',
  'etag',
  'last_modified as lastModifiedMs',
] as const
const entriesOpen = statement((db, page: Params<FlatPage>) => flat(db, page).select(entryColumns).$narrowType<{ id: NotNull }>())
const entriesBelow = statement((db, page: Params<FlatPage & Bounded>) =>
  flatBelow(db, page).select(entryColumns).$narrowType<{ id: NotNull }>(),
)

const keyColumns = ['key', 'size', 'etag', 'checksum', 'last_modified as lastModifiedMs'] as const
const keysOpen = statement((db, page: Params<FlatPage>) => flat(db, page).select(keyColumns))
const keysBelow = statement((db, page: Params<FlatPage & Bounded>) => flatBelow(db, page).select(keyColumns))

const versionedKeyColumns = [...keyColumns, 'version_id as versionId'] as const
const versionedKeysOpen = statement((db, page: Params<FlatPage>) => flat(db, page).select(versionedKeyColumns))
const versionedKeysBelow = statement((db, page: Params<FlatPage & Bounded>) => flatBelow(db, page).select(versionedKeyColumns))

const contentTypes = statement((db, { versionIds }: Params<{ versionIds: readonly string[] }>) =>
  db.selectFrom('object_versions').select(['version_id as versionId', 'content_type as contentType']).where('version_id', 'in', versionIds),
)

export async function readContentTypes(read: Reader, versionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  // A page may have only folders.
  if (versionIds.length === 0) return new Map()
  const rows = await read.all(contentTypes, { versionIds })
  return new Map(rows.map(({ versionId, contentType }) => [versionId, contentType]))
}

interface Roll {
  readonly prefix: string
  readonly delimiter: string
  /** `successorOf(delimiter)`. */
  readonly delimiterSuccessor: string
}

/** Includes all that any list shows. */
type FullEntry = ListEntry & Pick<ListedKey, 'checksum'>

/** Either a common prefix or an entry. */
interface RolledRow extends FullEntry {
  readonly commonPrefix: string | null
}

interface Walk extends FlatPage {
  /** 1-based position of the first character after the prefix. */
  readonly start: number
  readonly delimiter: string
  readonly delimiterSuccessor: string
}

/**
 * Skip scan: one index probe per result, independent of the number of keys under a common prefix. By hand, because the recursive table
 * must be used directly in FROM, otherwise SQLite materialises it.
 */
function walkSql(position: 'instr' | 'strpos', character: 'char' | 'chr', bound: string): string {
  // The first delimiter after the prefix in the key of `w`, counted from the end of the prefix; 0 if none.
  const at = `${position}(substr(w.key, :start), :delimiter)`
  const group = `substr(w.key, 1, :start + ${at} - 2)`
  return `
  with recursive walk (n, key) as (
    select 1, (select h.key from object_heads h where h.bucket_id = :bucketId and h.key >= :low ${bound} order by h.key limit 1)
    union all
    select w.n + 1, (select h.key from object_heads h where h.bucket_id = :bucketId
        and h.key >= case when ${at} > 0 then ${group} || :delimiterSuccessor else w.key || ${character}(1) end ${bound}
        order by h.key limit 1)
    from walk w where w.key is not null and w.n < :limit)
  select case when ${at} > 0 then ${group} || :delimiter end as "commonPrefix", h.id, h.key, h.version_id as "versionId",
    h.content_id as "contentId", h.size, h.etag, h.checksum, h.last_modified as "lastModifiedMs"
  from walk w left join object_heads h on h.bucket_id = :bucketId and h.key = w.key and ${at} = 0
  where w.key is not null order by w.n`
}

const walk = (bound = '') => ({ sqlite: walkSql('instr', 'char', bound), postgres: walkSql('strpos', 'chr', bound) })

const walkOpen = sqlStatement<Walk, RolledRow>(walk())
const walkBounded = sqlStatement<Walk & Bounded, RolledRow>(walk('and h.key < :high'))

/** Entries and common prefixes, which are texts, in order; at most `limit` together. */
async function listRolled(
  read: Reader,
  { bucketId, low, high }: KeyRange,
  { prefix, delimiter, delimiterSuccessor }: Roll,
  limit: number,
): Promise<(FullEntry | string)[]> {
  const page = { bucketId, low, limit, start: Array.from(prefix).length + 1, delimiter, delimiterSuccessor }
  const rows = high === undefined ? await read.all(walkOpen, page) : await read.all(walkBounded, { ...page, high })
  return rows.map(({ commonPrefix, ...entry }) => commonPrefix ?? entry)
}

export interface ListReads<Entry> {
  /** Current objects in order of key, at most `limit`. */
  flat(read: Reader, range: KeyRange, limit: number): Promise<Entry[]>
  rolled(read: Reader, range: KeyRange, roll: Roll, limit: number): Promise<(Entry | string)[]>
}

export const entryReads: ListReads<ListEntry> = {
  flat: (read, { bucketId, low, high }, limit) =>
    high === undefined ? read.all(entriesOpen, { bucketId, low, limit }) : read.all(entriesBelow, { bucketId, low, high, limit }),
  rolled: listRolled,
}

export const keyReads: ListReads<ListedKey> = {
  flat: (read, { bucketId, low, high }, limit) =>
    high === undefined ? read.all(keysOpen, { bucketId, low, limit }) : read.all(keysBelow, { bucketId, low, high, limit }),
  rolled: listRolled,
}

export const versionedKeyReads: ListReads<ListedKey> = {
  flat: (read, { bucketId, low, high }, limit) =>
    high === undefined
      ? read.all(versionedKeysOpen, { bucketId, low, limit })
      : read.all(versionedKeysBelow, { bucketId, low, high, limit }),
  rolled: listRolled,
}
