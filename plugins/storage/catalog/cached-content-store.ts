import type { Params, Reader } from '#kernel'
import { statement } from './tables.ts'

interface Bytes {
  readonly bucketId: number
  readonly identity: string
  readonly size: number
}

const findCached = statement((db, { bucketId, identity, size }: Params<Bytes>) =>
  db
    .selectFrom('contents as c')
    .innerJoin('cache_entries as e', 'e.content_id', 'c.id')
    .select('c.id')
    .where('c.bucket_id', '=', bucketId)
    .where('c.identity', '=', identity)
    .where('c.size', '=', size)
    .where('c.state', '=', 'live')
    .where('e.state', '=', 'present'),
)

/** Whether the bucket has a live content with these bytes that is cached. */
export async function hasCachedFiles(read: Reader, bytes: Bytes): Promise<boolean> {
  return (await read.get(findCached, bytes)) !== undefined
}
