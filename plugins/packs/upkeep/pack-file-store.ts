import { type Reader, sqlStatement } from '#kernel'

type Page = { readonly after: number; readonly limit: number }

const findStored = sqlStatement<Page, { id: number }>(
  `select p.content_id as id from packs p join contents c on c.id = p.content_id join cache_entries e on e.content_id = p.content_id
   where p.content_id > :after and c.store_state = 'stored' and e.state = 'present' and e.releasable = 1 order by p.content_id limit :limit`,
)

/** `cross join` makes SQLite begin at the packs: contents are many more. */
const findLost = sqlStatement<Page, { id: number }>(
  `select m.content_id as id from pack_members m join cache_entries e on e.content_id = m.content_id
   where m.pack_id in (select p.content_id from packs p cross join contents c where c.id = p.content_id and c.store_state = 'lost')
     and m.content_id > :after and e.state = 'present' order by m.content_id limit :limit`,
)

const findUnsealed = sqlStatement<object, { bucketId: number; bucket: string }>(
  `select b.id as "bucketId", b.name as bucket from buckets b
   where exists (select 1 from waiting_members w where w.bucket_id = b.id)`,
)

const idsOf = (rows: readonly { readonly id: number }[]): readonly number[] => rows.map(({ id }) => id)

/** Packs with all their copies whose file is still cached. */
export const storedPacks = async (read: Reader, page: Page): Promise<readonly number[]> => idsOf(await read.all(findStored, page))

/** Cached members of lost packs. */
export const membersOfLostPacks = async (read: Reader, page: Page): Promise<readonly number[]> => idsOf(await read.all(findLost, page))

/** Buckets with contents that wait. */
export const bucketsThatWait = (read: Reader): Promise<readonly { readonly bucketId: number; readonly bucket: string }[]> =>
  read.all(findUnsealed, {})
