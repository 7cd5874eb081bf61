/** Confirms a replacement: the only point at which an operator decides. */
import { type Database, defineProbe, type Reader, type TaskQueue, type Tx } from '#kernel'
import type { PlanRefusal, SlotProvider } from '#plugins/replication'
import type { Replacement, ReplacementCommand } from '../contract/records.ts'
import { scheduleDrive } from '../engine/drive-task.ts'
import { replacementErrors } from '../errors.ts'
import { freezeItems } from '../records/freeze-items.ts'
import {
  findByRequestId,
  findReplacement,
  openReplacementOfSlot,
  openReplacementOfTarget,
  type ReplacementRow,
  recordSuccessor,
} from '../records/replacement-store.ts'
import type { ReplacementStates } from '../states/replacement-states.ts'
import { type CandidateDeps, judgeProviders, listAvailable } from './candidates.ts'
import { chooseTarget } from './choose-target.ts'
import { type CheckedCommand, checkCommand, isRepeat } from './command.ts'
import { findSlotOf } from './find-source.ts'

export interface ConfirmDeps extends CandidateDeps {
  readonly database: Database
  readonly queue: Pick<TaskQueue, 'add'>
  readonly states: ReplacementStates
}

type Record = (tx: Tx, replacement: Replacement) => Promise<void>
type Confirmed = { readonly replacement: ReplacementRow; readonly isRepeat: boolean }

const confirmed = defineProbe('replacement.confirmed')

/** Another request may take the slot or the provider between the choice and the transaction: then the choice is made again. */
const choicesMax = 5

export async function confirmReplacement(deps: ConfirmDeps, command: ReplacementCommand, record?: Record): Promise<Confirmed> {
  const checked = checkCommand(command)
  const { database } = deps
  await findSlotOf(deps.slots, database.read, checked)
  const first = await findRepeat(database.read, checked)
  if (first) return first
  await refuseBusy(deps, database.read, checked)
  const available = await listAvailable(deps)
  for (let choice = 1; ; choice++) {
    const provider = chooseTarget(await judgeProviders(deps, checked.dataSetId, available), checked.providerId)
    try {
      const added = await database.write((tx) => add(deps, tx, { command: checked, provider, record }))
      if (!added.isRepeat) await confirmed()
      return added
    } catch (error) {
      if (!(error instanceof PlanRefused)) throw error
      const { refusal } = error
      if (choice === choicesMax || (refusal !== 'provider_in_use' && refusal !== 'next_planned')) throw refusalOf(refusal)
    }
  }
}

/** Rolls the transaction back: the earlier replacement keeps its place. */
class PlanRefused extends Error {
  override readonly name = 'PlanRefused'
  readonly refusal: PlanRefusal

  constructor(refusal: PlanRefusal) {
    super(refusal)
    this.refusal = refusal
  }
}

/** Resolved before the providers are listed, so that they cannot change what was chosen. */
async function findRepeat(read: Reader, command: CheckedCommand): Promise<Confirmed | undefined> {
  const replacement = await findByRequestId(read, command.clientRequestId)
  if (!replacement) return undefined
  if (!isRepeat(replacement, command)) throw replacementErrors.replacement_idempotency_conflict()
  return { replacement, isRepeat: true }
}

/** A replica whose new data set was lost may be moved on: nothing else brings it back. */
const isLostTarget = ({ status, failureReason }: ReplacementRow): boolean => status === 'failed' && failureReason === 'target_lost'

async function refuseBusy({ slots }: Pick<ConfirmDeps, 'slots'>, read: Reader, { bucketId, dataSetId }: CheckedCommand): Promise<void> {
  const towards = await openReplacementOfTarget(read, dataSetId)
  if (towards && !(isLostTarget(towards) && towards.takenOverAtMs !== null)) throw replacementErrors.replacement_active()
  if ((await findSlotOf(slots, read, { bucketId, dataSetId })).currentId !== dataSetId)
    throw replacementErrors.replacement_source_not_current()
}

interface Choice {
  readonly command: CheckedCommand
  readonly provider: SlotProvider
  readonly record: Record | undefined
}

async function add(deps: ConfirmDeps, tx: Tx, { command, provider, record }: Choice): Promise<Confirmed> {
  const { slots, states } = deps
  const { bucketId, dataSetId, clientRequestId, mode, origin, providerId } = command
  const first = await findRepeat(tx, command)
  if (first) return first
  const { slot } = await findSlotOf(slots, tx, command)
  // Locks its row before the bucket, as the takeover does: the first of the two that commits takes effect.
  const earlier = await openReplacementOfSlot(tx, { bucketId, slot })
  await refuseBusy(deps, tx, command)
  if (earlier) await supersede(deps, tx, earlier)
  const planned = await slots.planNext(tx, { from: dataSetId, provider })
  if ('refusal' in planned) throw new PlanRefused(planned.refusal)
  const row = { bucketId, slot, origin, mode, clientRequestId, requestedProviderId: providerId ?? null, sourceId: dataSetId }
  const id = await states.confirm(tx, { ...row, targetId: planned.id, providerId: provider.providerId })
  if (earlier) await recordSuccessor(tx, earlier.id, id)
  await scheduleDrive(deps.queue, tx, id)
  const replacement = await findReplacement(tx, id)
  if (!replacement) throw new Error(`replacement ${id} was inserted and not found`)
  await record?.(tx, replacement)
  return { replacement, isRepeat: false }
}

/** The unused target is shut down in the background: one whose creation is undecided is looked up by its nonce first. */
async function supersede({ slots, states, queue }: ConfirmDeps, tx: Tx, { id, targetId, phase }: ReplacementRow): Promise<void> {
  await freezeItems(tx, id)
  if (!(await states.apply(tx, phase === 'prepare' ? 'superseded' : 'target_replaced', id))) throw replacementErrors.replacement_active()
  if (phase === 'prepare') await slots.requestEnd(tx, { dataSetId: targetId, cause: 'unused' })
  // It deletes the items.
  await scheduleDrive(queue, tx, id)
}

function refusalOf(refusal: PlanRefusal) {
  switch (refusal) {
    case 'bucket_deleted':
      return replacementErrors.replacement_data_set_not_found()
    case 'not_current':
      return replacementErrors.replacement_source_not_current()
    case 'not_created':
      return replacementErrors.replacement_source_creating()
    case 'next_planned':
      return replacementErrors.replacement_active()
    case 'provider_in_use':
      return replacementErrors.replacement_target_in_use()
    case 'provider_too_small':
      return replacementErrors.replacement_target_invalid({ message: 'The provider takes only smaller pieces than the replica may have.' })
  }
}
