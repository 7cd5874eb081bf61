import type { Params, Reader } from '#kernel'
import type { Holdings } from '#plugins/storage'
import { statement } from '../tables.ts'
import { holdingsOf } from './holdings-policy.ts'

const findCopies = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('data_sets as d', 'd.id', 'c.data_set_id')
    .leftJoin('data_set_standings as s', 's.data_set_id', 'c.data_set_id')
    .leftJoin('copy_doubts as w', 'w.copy_id', 'c.id')
    .select(['c.content_id as contentId', 'c.slot', 'c.piece_id as pieceId', 'c.state', 'd.state as dataSetState'])
    .select(['s.reason', 'w.copy_id as doubted'])
    .select((copy) =>
      copy
        .selectFrom('pieces as p')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('p.content_id', '=', 'c.content_id')
        .as('pieces'),
    )
    .where('c.content_id', 'in', contentIds),
)

/** Holdings of the contents that have copies. */
export async function readHoldings(read: Reader, contentIds: readonly number[]): Promise<ReadonlyMap<number, Holdings>> {
  const rows = (await read.all(findCopies, { contentIds })).map(({ reason, doubted, ...copy }) => ({
    ...copy,
    isDenied: reason !== null || doubted !== null,
  }))
  const copies = Map.groupBy(rows, ({ contentId }) => contentId)
  return new Map(copies.entries().map(([contentId, own]) => [contentId, holdingsOf(own, own[0]?.pieces ?? 0)]))
}
