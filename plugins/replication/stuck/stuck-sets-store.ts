/** Work on data sets that no task does (I-43). */
import { type Reader, sqlStatement } from '#kernel'
import type { RuleRow } from '#kernel/system'
import { unsettledStates } from '../states/tables/copy-transitions-policy.ts'
import { endedStates } from '../states/tables/data-set-transitions-policy.ts'
import { listOf } from '../states/tables/transition.ts'
import { taskKeys } from '../task-keys.ts'
import { hasOpenTask } from './open-task.ts'

export type SetWork = 'ensure' | 'pull' | 'commit' | 'cleanup' | 'end' | 'standing'

const isCreated = "d.state not in ('planned', 'creating')"
const hasOpenBatch = (states: string) => `exists (select 1 from commit_batches a where a.data_set_id = d.id
  and a.state not in ('confirmed', 'closed') and a.state ${states})`

/** When the data set `d` needs the task. The conditions repeat those of partial indexes. */
const needs: Readonly<Record<SetWork, string>> = {
  // A creation that was sent may land at any time, and is paid for then. The next generation of a slot gets its copies after its creation.
  ensure: `(d.state = 'creating' or (d.state = 'planned'
    and (exists (select 1 from copies k where k.data_set_id = d.id and k.state in ${listOf(unsettledStates)})
      or not exists (select 1 from replica_slots s where s.current_data_set_id = d.id))
    and not exists (select 1 from data_set_endings e where e.data_set_id = d.id)))`,
  pull: hasOpenBatch("= 'pulling'"),
  commit: `${isCreated} and (${hasOpenBatch("<> 'pulling'")}
    or exists (select 1 from copies k where k.data_set_id = d.id and k.state = 'parked'))`,
  cleanup: `d.chain_id is not null
    and exists (select 1 from removals r where r.data_set_id = d.id and r.state not in ('removed', 'data_set_ended'))`,
  // Rows of an ended data set are kept until its bucket is deleted.
  end: `exists (select 1 from data_set_endings e where e.data_set_id = d.id) and (d.state not in ${listOf(endedStates)}
    or exists (select 1 from copies k where k.data_set_id = d.id and k.state = 'committed')
    or exists (select 1 from buckets b where b.id = d.bucket_id and b.deleted_at is not null))`,
  standing: 'exists (select 1 from data_set_standings s where s.data_set_id = d.id and s.counted_to is not null)',
}

/** Sorted as they are enqueued again. */
export const setWorks = Object.keys(needs) as readonly SetWork[]
const lacks = (work: SetWork) => `${needs[work]} and not ${hasOpenTask(taskKeys[work], 'd.id')}`

const pageOf = (work: SetWork) =>
  sqlStatement<{ after: number; limit: number }, { id: number }>(
    `select d.id from data_sets d where d.id > :after and ${lacks(work)} order by d.id limit :limit`,
  )

const findPages: Readonly<Record<SetWork, ReturnType<typeof pageOf>>> = {
  ensure: pageOf('ensure'),
  pull: pageOf('pull'),
  commit: pageOf('commit'),
  cleanup: pageOf('cleanup'),
  end: pageOf('end'),
  standing: pageOf('standing'),
}

const findOf = sqlStatement<{ id: number }, { work: SetWork }>(
  setWorks.map((work) => `select '${work}' as work from data_sets d where d.id = :id and ${lacks(work)}`).join(' union all '),
)

const countAll = sqlStatement<Record<never, never>, { work: SetWork; n: number }>(
  setWorks.map((work) => `select '${work}' as work, count(*) as n from data_sets d where ${lacks(work)}`).join(' union all '),
)

/** For the doctor. */
const ruleOf = (chosen: readonly SetWork[]) =>
  sqlStatement<{ limit: number }, RuleRow>(
    `select d.id, (select coalesce(b.deleted_name, b.name) from buckets b where b.id = d.bucket_id) as bucket
     from data_sets d where ${chosen.map((work) => `(${lacks(work)})`).join(' or ')} limit :limit`,
  )

export const setsWithoutCopyTask = ruleOf(['ensure', 'pull', 'commit', 'standing'])
export const setsWithoutRemovalTask = ruleOf(['cleanup'])
export const setsWithoutEndTask = ruleOf(['end'])

/** Data sets that need the task and have none, in the order of their ids. */
export async function pageOfStuckSets(
  read: Reader,
  work: SetWork,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
  return (await read.all(findPages[work], page)).map(({ id }) => id)
}

/** The tasks that this data set needs and does not have. */
export const worksOfSet = async (read: Reader, id: number): Promise<readonly SetWork[]> =>
  (await read.all(findOf, { id })).map(({ work }) => work)

/** Number of data sets without a task that they need, by task. */
export async function countStuckSets(read: Reader): Promise<Readonly<Record<SetWork, number>>> {
  return Object.fromEntries((await read.all(countAll, {})).map(({ work, n }) => [work, n])) as Readonly<Record<SetWork, number>>
}
