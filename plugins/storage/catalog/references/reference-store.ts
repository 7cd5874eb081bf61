/** @walk removal 3: marks a content without versions as being deleted */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { ContentPlace, ContentRecord } from '../../contract.ts'
import { releaseEntry } from '../cached/eviction-store.ts'
import { deleteContent } from '../contents/content-state-store.ts'
import { refer } from '../contents/content-store.ts'
import { lockLiveContent } from '../contents/live-content-store.ts'
import { type AtContent, statement } from '../entities/tables.ts'
import type { Referred } from '../versions/version-store.ts'
import { endComposite, referToParts } from './composite-store.ts'

const subtractReferences = statement((db, { contentId, versions, nowMs }: AtContent<{ versions: number; nowMs: number }>) =>
  db
    .updateTable('contents')
    .set((row) => ({ ref_count: row('ref_count', '-', versions), updated_at: nowMs }))
    .where('id', '=', contentId),
)

const markDeleting = statement((db, { contentId }: AtContent) =>
  db
    .updateTable('contents')
    .set({ state: 'deleting' })
    .where('id', '=', contentId)
    .where('ref_count', '=', 0)
    .where('hold_count', '=', 0)
    .returning(['size', 'part_count as partCount']),
)

const selectReadability = statement((db, { contentId }: AtContent) =>
  db
    .selectFrom('contents as c')
    .select(['c.store_state as storeState', 'c.readable_copies as readableCopies', 'c.size', 'c.part_count as partCount'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('cache_entries as e').select('e.content_id').whereRef('e.content_id', '=', 'c.id').where('e.state', '=', 'present'),
      ).as('isCached'),
    )
    .where('c.id', '=', contentId),
)

/** A composite is cached when all its parts are. */
const selectPlaces = sqlStatement<
  { contentIds: readonly number[] },
  { contentId: number; readableCopies: number; cached: number; missing: number; partCount: number }
>(`select c.id as "contentId", c.readable_copies as "readableCopies", c.part_count as "partCount",
  (select count(*) from cache_entries e where e.content_id = c.id and e.state = 'present') as cached,
  (select count(*) from content_parts p where p.content_id = c.id
    and not exists (select 1 from cache_entries e where e.content_id = p.part_content_id and e.state = 'present')) as missing
 from contents c where c.id in :contentIds`)

const selectContent = statement((db, { contentId }: AtContent) =>
  db.selectFrom('contents').select(['bucket_id as bucketId', 'size', 'sha256']).where('id', '=', contentId),
)

const selectIdentity = statement((db, { contentId }: AtContent) =>
  db.selectFrom('contents').select(['identity', 'sha256']).where('id', '=', contentId),
)

const deletedAfter = statement((db, { after, limit }: Params<{ after: number; limit: number }>) =>
  db.selectFrom('contents').select('id').where('state', '=', 'deleting').where('id', '>', after).orderBy('id').limit(limit),
)

interface EndedContents {
  readonly isEnded: boolean
  readonly leafIds: readonly number[]
}

/** The index of contents finds the versions; only they are compared with the prefix. */
const selectKeys = sqlStatement<{ contentId: number; prefix: string; limit: number }, { key: string }>(
  `select distinct key from object_versions
   where (content_id = :contentId or content_id in (select content_id from content_parts where part_content_id = :contentId))
     and substr(key, 1, length(cast(:prefix as text))) = :prefix order by key limit :limit`,
)

/**
 * Call after `versions` versions of a content were deleted. When it has no other reference, marks it as being deleted, so that no version
 * can attach to it (I-18), and releases its cache entry. A content without bytes of its own is deleted at once. Returns whether the content
 * was ended, and the contents with bytes that were ended with it.
 */
export async function dropReferences(tx: Tx, contentId: number, versions: number, nowMs: number): Promise<EndedContents> {
  await tx.run(subtractReferences, { contentId, versions, nowMs })
  const ended = await tx.get(markDeleting, { contentId })
  if (!ended) return { isEnded: false, leafIds: [] }
  if (ended.partCount > 0) return { isEnded: true, leafIds: await endComposite(tx, contentId, nowMs) }
  if (ended.size > 0) {
    await releaseEntry(tx, contentId)
    return { isEnded: true, leafIds: [contentId] }
  }
  await deleteContent(tx, contentId)
  return { isEnded: true, leafIds: [] }
}

/** Adds the reference of a version to a live content. A `targetCopies` above its target raises it, and that of its parts. */
export async function addReference(
  tx: Tx,
  contentId: number,
  version: { readonly targetCopies: number; readonly nowMs: number },
): Promise<Pick<Referred, 'content' | 'needsCopies'>> {
  const row = await lockLiveContent(tx, contentId)
  if (!row) throw new Error(`content ${contentId} has a version but is not live`)
  const content = await refer(tx, row, version)
  if (content.size === 0) return { content, needsCopies: [] }
  const parts = await referToParts(tx, contentId, version)
  return { content, needsCopies: parts.length > 0 ? parts : [content] }
}

/** Whether the bytes of a content are readable, according to its rows. A content whose store failed counts as unreadable. */
export async function isReadable(read: Reader, contentId: number): Promise<boolean> {
  const row = await read.get(selectReadability, { contentId })
  if (!row || row.storeState === 'failed' || row.storeState === 'lost') return false
  // A composite has no bytes of its own: it would be `lost` by the rule below (I-20).
  if (row.size === 0 || row.partCount > 0) return true
  return Number(row.isCached) === 1 || row.readableCopies > 0
}

/** Where the bytes of contents are, according to their rows. */
export async function placesOfContents(read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, ContentPlace>> {
  const rows = contentIds.length === 0 ? [] : await read.all(selectPlaces, { contentIds })
  return new Map(
    rows.map(({ contentId, readableCopies, partCount, cached, missing }) => {
      const isCached = partCount > 0 ? Number(missing) === 0 : Number(cached) > 0
      return [contentId, { isCached, readableCopies }]
    }),
  )
}

/** Whether a provider has the bytes of a content, according to its rows. */
export async function isStored(read: Reader, contentId: number): Promise<boolean> {
  return ((await read.get(selectReadability, { contentId }))?.readableCopies ?? 0) > 0
}

/** SHA-256 of a content in hex, to verify fetched bytes; null if it was never recorded. */
export async function sha256OfContent(read: Reader, contentId: number): Promise<string | null> {
  return (await findContent(read, contentId))?.sha256 ?? null
}

/** Contents in state `deleting`, at most `limit`, in order of id. */
export async function deletedContents(read: Reader, page: { readonly after: number; readonly limit: number }): Promise<number[]> {
  return (await read.all(deletedAfter, page)).map(({ id }) => id)
}

/** What identifies the bytes of a content within a bucket. */
export async function findIdentity(
  read: Reader,
  contentId: number,
): Promise<{ readonly identity: string; readonly sha256: string | null } | undefined> {
  return read.get(selectIdentity, { contentId })
}

export async function findContent(read: Reader, contentId: number): Promise<ContentRecord | undefined> {
  return read.get(selectContent, { contentId })
}

export async function keysOfContent(
  read: Reader,
  contentId: number,
  range: { readonly prefix: string; readonly limit: number },
): Promise<readonly string[]> {
  return (await read.all(selectKeys, { ...range, contentId })).map(({ key }) => key)
}
