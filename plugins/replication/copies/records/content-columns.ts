import type { ExpressionBuilder } from 'kysely'
import { type CopyState, statesInBatch } from '../../states/tables/copy-transitions-policy.ts'
import type { ReplicationTables } from '../../tables.ts'

type ContentBuilder = ExpressionBuilder<ReplicationTables & { c: ReplicationTables['contents'] }, 'c'>

/** Whether the bytes of content `c` are cached: 0 or 1. */
export const isCached = ({ exists, selectFrom }: ContentBuilder) =>
  exists(selectFrom('cache_entries as e').select('e.content_id').whereRef('e.content_id', '=', 'c.id').where('e.state', '=', 'present')).as(
    'isCached',
  )

/** The content whose copies are those of content `c`: its pack, or itself. */
export const copiedId = ({ fn, ref, selectFrom }: ContentBuilder) =>
  fn.coalesce(selectFrom('pack_members as m').select('m.pack_id').whereRef('m.content_id', '=', 'c.id'), ref('c.id'))

/** Whose copies those of content `c` are, and whether it waits for a pack: 0 or 1. */
export const packing = (content: ContentBuilder) =>
  [
    copiedId(content).as('copiedId'),
    content.exists(content.selectFrom('waiting_members as w').select('w.content_id').whereRef('w.content_id', '=', 'c.id')).as('isWaiting'),
  ] as const

/** Numbers of copies of content `c`: committed, in a batch and not confirmed, and at the provider but in no batch yet. */
export const copyCounts = (content: ContentBuilder) =>
  [
    countIn(content, ['committed']).as('committed'),
    countIn(content, statesInBatch).as('onChain'),
    countIn(content, ['parked']).as('parked'),
  ] as const

const countIn = (content: ContentBuilder, states: readonly CopyState[]) =>
  content
    .selectFrom('copies as k')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('k.content_id', '=', copiedId(content))
    .where('k.state', 'in', states)
    .$asScalar()
