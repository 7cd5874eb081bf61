/** What the index of a segment tells about a content, and the bytes of small ones. */
import { type Reader, sqlStatement } from '#kernel'
import type { IndexEntry, IndexedVersion } from '../segment/segment-index.ts'

type OfContents = { readonly contentIds: readonly number[] }

/** Versions listed of each content. */
const versionsListedMax = 100

interface VersionRow {
  readonly contentId: number
  readonly total: number
  readonly bucket: string
  readonly key: string
  readonly versionId: string
  readonly createdAtMs: number
  readonly etag: string
  readonly contentType: string
  /** JSON; null: none. Also the next three. */
  readonly headers: string | null
  readonly userMetadata: string | null
  readonly checksums: string | null
  readonly tags: string | null
}

/** Characters of what is listed of each content, unless its newest version alone has more: a client chooses the keys, metadata and tags. */
const listedTextMax = 16 * 1024
/** About the text of a version without its keys, metadata and tags. */
const fixedText = 200

const textOf = ['key', 'content_type', 'headers', 'user_metadata', 'checksums', 'tags']
  .map((column) => `coalesce(length(v.${column}), 0)`)
  .join(' + ')

/** `versions`: some versions `v` of each content `c`. A client may give a million keys the same bytes: they are not all read. */
const findVersionsOf = (versions: string) => `select x.content_id as "contentId", x.total, b.name as bucket, x.key,
     x.version_id as "versionId", x.created_at as "createdAtMs", x.etag, x.content_type as "contentType", x.headers,
     x.user_metadata as "userMetadata", x.checksums, x.tags
   from (select v.*, c.ref_count as total,
       row_number() over (partition by c.id order by v.created_at desc, v.version_id desc) as n,
       sum(${fixedText} + ${textOf}) over (partition by c.id order by v.created_at desc, v.version_id desc
         rows between unbounded preceding and current row) as listed
     from contents c cross join ${versions} where c.id in :contentIds) x
   join buckets b on b.id = x.bucket_id
   where x.n = 1 or x.listed <= ${listedTextMax} order by x.content_id, x.n`

const some = (columns: string) => `(select ${columns} from object_versions o where o.content_id = c.id limit ${versionsListedMax})`

const findVersions = sqlStatement<OfContents, VersionRow>({
  sqlite: findVersionsOf(`object_versions v on v.version_id in ${some('o.version_id')}`),
  postgres: findVersionsOf(`lateral ${some('o.*')} v`),
})

const findBytes = sqlStatement<OfContents, { contentId: number; bytes: Uint8Array }>(
  `select d.content_id as "contentId", d.bytes from cache_bytes d join cache_entries e on e.content_id = d.content_id
   where d.content_id in :contentIds and e.state = 'present'`,
)

interface IndexedContent {
  readonly versions: readonly IndexedVersion[]
  /** Number of all versions. */
  readonly total: number
}

/** Versions of each content, the newest first; of one with more than are listed it is not said which. Contents without versions are missing. */
export async function versionsOf(read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, IndexedContent>> {
  const rows = Map.groupBy(await read.all(findVersions, { contentIds }), ({ contentId }) => contentId)
  return new Map(rows.entries().map(([contentId, own]) => [contentId, { versions: own.map(toVersion), total: Number(own[0]?.total ?? 0) }]))
}

/** What the index tells about the versions of a content. */
export function indexedOf(content: IndexedContent | undefined): Pick<IndexEntry, 'versions' | 'more'> {
  const { versions, total } = content ?? { versions: [], total: 0 }
  return total > versions.length ? { versions, more: total - versions.length } : { versions }
}

/** The bytes of contents that are cached in the database. */
export async function bytesInDatabase(read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, Uint8Array>> {
  return new Map((await read.all(findBytes, { contentIds })).map(({ contentId, bytes }) => [contentId, bytes]))
}

const toVersion = ({ bucket, key, versionId, createdAtMs, etag, contentType, ...texts }: VersionRow): IndexedVersion => ({
  ...{ bucket, key, version: versionId, created: createdAtMs, etag, type: contentType },
  ...(texts.headers !== null && { system: JSON.parse(texts.headers) }),
  ...(texts.userMetadata !== null && { user: JSON.parse(texts.userMetadata) }),
  ...(texts.checksums !== null && { checksums: JSON.parse(texts.checksums) }),
  ...(texts.tags !== null && { tags: JSON.parse(texts.tags) }),
})
