import type { Reader } from '#kernel'

interface Page {
  readonly after: number
  readonly limit: number
}

/** Live contents without a piece, by id: they were put while this plugin was disabled. */
export function contentsWithoutPiece(
  read: Reader,
  { after, limit }: Page,
): readonly { readonly id: number; readonly size: number; readonly bucketId: number; readonly targetCopies: number }[] {
  // The first condition repeats that of the partial index, otherwise SQLite would not use it.
  return read.all(
    `select c.id, c.size, c.bucket_id as "bucketId", c.target_copies as "targetCopies" from contents c
     where c.store_state <> 'stored' and c.state = 'live' and c.id > ? and not exists (select 1 from pieces p where p.content_id = c.id)
     order by c.id limit ?`,
    after,
    limit,
  )
}

/** Contents that were deleted while this plugin was disabled and still have committed copies, by id. */
export function copiesWithoutContent(read: Reader, { after, limit }: Page): readonly number[] {
  return read
    .all<{ id: number }>(
      `select distinct k.content_id as id from copies k where k.state = 'committed' and k.content_id > ?
       and not exists (select 1 from contents c where c.id = k.content_id) order by k.content_id limit ?`,
      after,
      limit,
    )
    .map(({ id }) => id)
}
