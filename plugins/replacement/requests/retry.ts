import type { Database, Reader, TaskQueue } from '#kernel'
import type { ReplicaSlots } from '#plugins/replication'
import { driveKey, scheduleDrive } from '../engine/drive-task.ts'
import { findWork } from '../engine/engine.ts'
import { replacementErrors } from '../errors.ts'
import { retryFailedItems } from '../records/item-store.ts'
import { findReplacement, lockReplacement, type ReplacementRow } from '../records/replacement-store.ts'
import type { ReplacementStates } from '../states/replacement-states.ts'
import { retryEvents, stateOfColumns } from '../states/replacement-transitions-policy.ts'

export interface RetryDeps {
  readonly database: Database
  readonly queue: Pick<TaskQueue, 'add' | 'hasOpen'>
  readonly slots: ReplicaSlots
  readonly states: ReplacementStates
}

/** Continues a replacement with the same target. */
export async function retryReplacement(deps: RetryDeps, id: number): Promise<ReplacementRow> {
  const { database, slots, states, queue } = deps
  const found = await findReplacement(database.read, id)
  if (!found) throw replacementErrors.replacement_not_found()
  const work = await findWork(deps, found)
  return database.write(async (tx) => {
    const replacement = await lockReplacement(tx, id)
    if (!replacement) throw replacementErrors.replacement_not_found()
    const refusal = await whyNotRetried(deps, tx, replacement)
    if (refusal) throw replacementErrors[refusal]()
    const event = retryEvents[stateOfColumns(replacement) as keyof typeof retryEvents]
    await states.apply(tx, event, id)
    await retryFailedItems(tx, id)
    if (replacement.phase === 'prepare') await slots.resume(tx, replacement.targetId)
    if (replacement.phase === 'retire') for (const source of work?.sources ?? []) await slots.resume(tx, source.id)
    await scheduleDrive(queue, tx, id)
    return (await findReplacement(tx, id)) ?? replacement
  })
}

type Refusal =
  | 'replacement_superseded'
  | 'replacement_not_retryable'
  | 'replacement_task_running'
  | 'replacement_target_in_use'
  | 'replacement_target_unavailable'

/** Refusals in the order in which they are reported. */
export async function whyNotRetried(
  { queue }: { readonly queue: Pick<TaskQueue, 'hasOpen'> },
  read: Reader,
  replacement: ReplacementRow,
): Promise<Refusal | undefined> {
  const { id, status, failureReason } = replacement
  if (status === 'superseded') return 'replacement_superseded'
  if (status !== 'failed' && status !== 'cleanup_attention') return 'replacement_not_retryable'
  if (await queue.hasOpen(read, driveKey(id))) return 'replacement_task_running'
  if (failureReason === 'target_in_use') return 'replacement_target_in_use'
  return failureReason === 'target_lost' ? 'replacement_target_unavailable' : undefined
}
