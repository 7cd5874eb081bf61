import type { Params, Reader } from '#kernel'
import type { ContentKey } from '../contents/live-content-store.ts'
import { statement } from '../entities/tables.ts'

const findCached = statement((db, { bucketId, identity, size }: Params<ContentKey>) =>
  db
    .selectFrom('contents as c')
    .innerJoin('cache_entries as e', 'e.content_id', 'c.id')
    .select('c.id')
    .where('c.bucket_id', '=', bucketId)
    .where('c.identity', '=', identity)
    .where('c.size', '=', size)
    .where('c.state', '=', 'live')
    .where('e.state', 'in', ['present', 'damaged']),
)

/** Whether the bucket has a live content with these bytes that has cached files, intact or not. */
export async function hasCachedFiles(read: Reader, bytes: ContentKey): Promise<boolean> {
  return (await read.get(findCached, bytes)) !== undefined
}
