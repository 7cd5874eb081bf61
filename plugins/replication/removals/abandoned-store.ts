/** Removals that wait for the retry of a task. */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'

interface Waiting {
  readonly taskId: number
  readonly dataSetId: number
}

/** Written by hand, to read only open removals: few of them wait for a task. */
const findWaiting = sqlStatement<Record<never, never>, Waiting>(
  `select distinct a.attention_task_id as "taskId", r.data_set_id as "dataSetId" from removals r join removal_attempts a on a.id = r.attempt_id
     where r.state not in ('removed', 'data_set_ended') and r.state in ('submitting', 'submitted', 'uncertain') and a.attention_task_id is not null
   union select withheld_task_id, data_set_id from removals where withheld_task_id is not null and state = 'pending'
   order by 1, 2`,
)

type OfTasks = Params<{ taskIds: readonly number[] }>

const freeAttempts = statement((db, { taskIds }: OfTasks) =>
  db.updateTable('removal_attempts').set({ attention_task_id: null }).where('attention_task_id', 'in', taskIds),
)

const freeWithheld = statement((db, { taskIds }: OfTasks) =>
  db.updateTable('removals').set({ withheld_task_id: null }).where('withheld_task_id', 'in', taskIds),
)

/** Tasks whose retry decides about removals, with the data sets of these. */
export const waitingForRetry = (reader: Reader): Promise<readonly Waiting[]> => reader.all(findWaiting)

/** Another task decides about the removals of these tasks. */
export async function freeFromTasks(tx: Tx, taskIds: readonly number[]): Promise<void> {
  await tx.run(freeAttempts, { taskIds })
  await tx.run(freeWithheld, { taskIds })
}
