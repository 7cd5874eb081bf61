import { type Reader, sqlStatement } from '#kernel'
import { unsettledStates } from '../states/tables/copy-transitions-policy.ts'
import { listOf } from '../states/tables/transition.ts'
import { taskKeys } from '../task-keys.ts'
import { canResumeAny } from './stuck-contents-store.ts'

const prefixOf = (work: 'store' | 'ensure' | 'pull' | 'commit') => `'${taskKeys[work](0).slice(0, -1)}'`
const ofSets = (['ensure', 'pull', 'commit'] as const).map(
  (work) => `select ${prefixOf(work)} || k.data_set_id from copies k
    where k.content_id in :contentIds and k.state in ${listOf(unsettledStates)}`,
)
const works = `(select ${prefixOf('store')} || c.id from contents c where c.id in :contentIds union ${ofSets.join(' union ')})`

/** What happens next to contents that no task works on. */
export interface NextStep {
  /** A failed task that an operator has not dismissed. */
  readonly failedTaskId: number | null
  /** When svc enqueues the work again; null: with the next pass. */
  readonly retryAtMs: number | null
  /** False: the row of a copy is missing, or its data set has ended and no other one takes its place. */
  readonly isResumable: boolean
}

const find = sqlStatement<{ contentIds: readonly number[] }, Omit<NextStep, 'isResumable'>>(
  `select (select min(t.id) from tasks t where t.status = 'failed' and t.acknowledged_at is null and t.key in ${works}) as "failedTaskId",
     (select min(r.next_at) from resumptions r where r.work in ${works}) as "retryAtMs"`,
)

export async function findNextStep(read: Reader, contentIds: readonly number[]): Promise<NextStep> {
  const { failedTaskId = null, retryAtMs = null } = (await read.get(find, { contentIds })) ?? {}
  return { failedTaskId, retryAtMs, isResumable: await canResumeAny(read, contentIds) }
}
