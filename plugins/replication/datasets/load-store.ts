import type { Reader } from '#kernel'

/** Number of our live data sets per provider id. */
export async function countLoad(reader: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = reader.all<{ id: string; n: number }>(
    "select provider_id as id, count(*) as n from data_sets where state not in ('retired', 'abandoned') group by provider_id",
  )
  return new Map(rows.map(({ id, n }) => [id, n]))
}

/** Ids of providers that the bucket ever used, without those replaced before they received a creation. */
export async function usedProviders(reader: Reader, bucketId: number): Promise<ReadonlySet<string>> {
  const rows = reader.all<{ id: string }>(
    "select provider_id as id from data_sets where bucket_id = ? and not (state = 'abandoned' and create_offered_at is null)",
    bucketId,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Whether the data set has a committed piece: the first one starts its monthly fee. */
export async function holdsPieces(reader: Reader, dataSetId: number): Promise<boolean> {
  return reader.get("select 1 from copies where data_set_id = ? and state = 'committed' limit 1", dataSetId) !== undefined
}

/** Live contents of a bucket below their target of copies, oldest first. */
export async function unfinishedContents(reader: Reader, bucketId: number, limit: number): Promise<readonly number[]> {
  return reader
    .all<{ id: number }>(
      "select id from contents where bucket_id = ? and store_state <> 'stored' and store_state in ('unstored', 'storing') and state = 'live' order by id limit ?",
      bucketId,
      limit,
    )
    .map(({ id }) => id)
}

export async function bucketName(reader: Reader, bucketId: number): Promise<string> {
  return reader.get<{ name: string }>('select name from buckets where id = ?', bucketId)?.name ?? ''
}
