import type { ExpressionBuilder } from 'kysely'
import type { Params, Reader } from '#kernel'
import { statesWithBytes } from '../../states/tables/copy-transitions-policy.ts'
import { statesThatServe } from '../../states/tables/data-set-transitions-policy.ts'
import { type ReplicationTables, statement } from '../../tables.ts'

/**
 * Service URL of a provider that can serve the piece of copy `c`: committed copies first, then rotating with the setbacks. A slot that is
 * moved to another provider is no source of its own next generation.
 */
export const sourceUrl = (copy: ExpressionBuilder<ReplicationTables & { c: ReplicationTables['copies'] }, 'c'>) =>
  copy
    .selectFrom('copies as s')
    .innerJoin('data_sets as d', 'd.id', 's.data_set_id')
    .select('d.service_url')
    .whereRef('s.piece_id', '=', 'c.piece_id')
    .whereRef('s.slot', '<>', 'c.slot')
    .where('s.state', 'in', [...statesWithBytes])
    .where('d.state', 'in', statesThatServe)
    .orderBy((source) => source('s.state', '=', 'committed'), 'desc')
    .orderBy((source) => source(source.parens('s.id', '+', source.ref('c.setbacks')), '%', 8))
    .limit(1)

const findUnsourced = statement((db, { dataSetId, contentIds }: Params<{ dataSetId: number; contentIds: readonly number[] }>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .select('c.content_id as id')
    .where('c.data_set_id', '=', dataSetId)
    .where('c.content_id', 'in', contentIds)
    .where('c.state', '=', 'planned')
    .where((copy) => copy.or([copy('p.piece_cid', 'is', null), copy(sourceUrl(copy as never), 'is', null)])),
)

/** Returns the contents whose planned copy on the data set no other provider can serve: only the cache may have the bytes. */
export const contentsWithoutSource = async (read: Reader, dataSetId: number, contentIds: readonly number[]): Promise<readonly number[]> =>
  (await read.all(findUnsourced, { dataSetId, contentIds })).map(({ id }) => id)
