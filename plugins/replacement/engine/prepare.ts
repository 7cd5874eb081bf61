/** @walk replacement 2: waits for the target, and makes it the data set of the slot */
import { defineProbe, done, type Outcome } from '#kernel'
import type { FailureReason } from '../contract/records.ts'
import { lockReplacement } from '../records/replacement-store.ts'
import { again, type Engine, pause, type Work } from './engine.ts'
import { reasonOfCreation } from './wait-reason-policy.ts'

const takenOver = defineProbe('replacement.taken_over')

/** One step before the takeover. Uploads still go to the source. */
export async function prepare(deps: Engine, work: Work, signal: AbortSignal): Promise<Outcome> {
  const { replacement, target, slot } = work
  if (target.endCause !== null) return giveUp(deps, work, 'target_lost', 'the new data set is being ended')
  if (slot.currentId !== replacement.sourceId)
    return giveUp(deps, work, 'target_not_created', `the replica has the data set ${slot.currentId} since, and not the one to replace`)
  switch (target.state) {
    case 'planned':
    case 'creating':
      return followCreation(deps, work)
    case 'ready':
      return takeOver(deps, work, signal)
    default:
      return giveUp(deps, work, 'target_lost', `the new data set cannot take pieces any more${reasonIn(target.lastError)}`)
  }
}

const reasonIn = (text: string | null): string => (text === null ? '' : `: ${text}`)

async function followCreation(deps: Engine, work: Work): Promise<Outcome> {
  const { database, slots } = deps
  const { replacement, target } = work
  const creation = await slots.work(database.read, target.id)
  const { reason, message } = creation
  if (creation.kind === 'waiting')
    return pause(deps, replacement, {
      phase: 'prepare',
      reason: reasonOfCreation(creation),
      message: message ?? 'the new data set is being created',
    })
  if (creation.kind === 'working') {
    if (target.state === 'planned') return again(deps, 'target_creating')
    return pause(deps, replacement, {
      phase: 'prepare',
      reason: 'target_creating',
      message: 'the creation of the new data set is not confirmed yet',
    })
  }
  // Its task was lost if it did not fail: nothing was paid for, or the look-up continues.
  if (reason === null) {
    await database.write((tx) => slots.resume(tx, target.id))
    return again(deps, 'target_creating')
  }
  const failure = reason === 'target_in_use' ? reason : 'target_not_created'
  return giveUp(deps, work, failure, message ?? 'the new data set could not be created')
}

async function giveUp(deps: Engine, { replacement }: Work, failure: FailureReason, message: string): Promise<Outcome> {
  await deps.database.write((tx) => deps.states.apply(tx, 'preparation_failed', replacement.id, { failure, message }))
  return done()
}

async function takeOver(deps: Engine, { replacement }: Work, signal: AbortSignal): Promise<Outcome> {
  const { database, slots, states } = deps
  const { id, sourceId: from, targetId: to } = replacement
  const obstacle = await slots.notWritable(to, signal)
  if (obstacle) return pause(deps, replacement, { phase: 'prepare', ...obstacle })
  const isTaken = await database.write(async (tx) => {
    // A later confirmation may have superseded it: the first of the two that commits takes effect.
    const row = await lockReplacement(tx, id)
    if (row?.phase !== 'prepare' || row.status === 'failed') return false
    // I-48
    return (await slots.switch(tx, { from, to })) && (await states.apply(tx, 'taken_over', id))
  })
  if (isTaken) await takenOver()
  return again(deps, 'target_writable')
}
