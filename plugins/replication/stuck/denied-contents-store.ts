import { type Reader, sqlStatement } from '#kernel'

const find = sqlStatement<{ ids: readonly number[] }, { id: number }>(
  `select distinct k.content_id as id from copies k
   left join data_set_standings s on s.data_set_id = k.data_set_id left join copy_doubts w on w.copy_id = k.id
   where k.content_id in :ids and k.state = 'committed' and (s.reason is not null or w.copy_id is not null)`,
)

/** Returns those of the contents with a committed copy that does not count as durable (I-53). */
export async function deniedAmong(read: Reader, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  return new Set((await read.all(find, { ids })).map(({ id }) => id))
}
