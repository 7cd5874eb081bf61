import type { Reader } from '#kernel'

/** Live data sets of ours per provider id. */
export function countLoad(reader: Reader): ReadonlyMap<string, number> {
  const rows = reader.all<{ id: string; n: number }>(
    "select provider_id as id, count(*) as n from data_sets where state not in ('retired', 'abandoned') group by provider_id",
  )
  return new Map(rows.map(({ id, n }) => [id, n]))
}

/** Bytes of the pieces committed to a data set. */
export function heldBytes(reader: Reader, dataSetId: number): number {
  const row = reader.get<{ n: number }>(
    "select coalesce(sum(p.length), 0) as n from copies c join pieces p on p.id = c.piece_id where c.data_set_id = ? and c.state = 'committed'",
    dataSetId,
  )
  return row?.n ?? 0
}

/** Contents of a bucket that have not reached their target, oldest first: their tasks may go on now. */
export function unfinishedContents(reader: Reader, bucketId: number, limit: number): readonly number[] {
  return reader
    .all<{ id: number }>(
      "select id from contents where bucket_id = ? and store_state in ('unstored', 'storing') and state = 'live' order by id limit ?",
      bucketId,
      limit,
    )
    .map(({ id }) => id)
}

export function bucketName(reader: Reader, bucketId: number): string {
  return reader.get<{ name: string }>('select name from buckets where id = ?', bucketId)?.name ?? ''
}
