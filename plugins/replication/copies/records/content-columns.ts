import type { ExpressionBuilder } from 'kysely'
import { type CopyState, statesInBatch } from '../../states/tables/copy-transitions-policy.ts'
import type { ReplicationTables } from '../../tables.ts'

type ContentBuilder = ExpressionBuilder<ReplicationTables & { c: ReplicationTables['contents'] }, 'c'>

/** Whether the bytes of content `c` are cached: 0 or 1. */
export const isCached = ({ exists, selectFrom }: ContentBuilder) =>
  exists(selectFrom('cache_entries as e').select('e.content_id').whereRef('e.content_id', '=', 'c.id').where('e.state', '=', 'present')).as(
    'isCached',
  )

/** Numbers of copies of content `c`: committed, in a batch and not confirmed, and at the provider but in no batch yet. */
export const copyCounts = (content: ContentBuilder) =>
  [
    countIn(content, ['committed']).as('committed'),
    countIn(content, statesInBatch).as('onChain'),
    countIn(content, ['parked']).as('parked'),
  ] as const

const countIn = ({ selectFrom }: ContentBuilder, states: readonly CopyState[]) =>
  selectFrom('copies as k')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .whereRef('k.content_id', '=', 'c.id')
    .where('k.state', 'in', states)
    .$asScalar()
