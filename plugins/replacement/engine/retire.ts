/** @walk replacement 5: follows the end of the old service */
import { defineProbe, done, type Outcome } from '#kernel'
import { freezeItems } from '../records/freeze-items.ts'
import { lockReplacement, recordEndEpoch } from '../records/replacement-store.ts'
import { again, carryOn, type Engine, failTarget, isAlive, pause, type Work } from './engine.ts'
import { reasonOfEnd } from './wait-reason-policy.ts'

const completed = defineProbe('replacement.completed')

/** One step after the end was requested. The end proves again before each request that the target has everything (I-48). */
export async function retire(deps: Engine, work: Work): Promise<Outcome> {
  const { database, slots } = deps
  const { replacement, slot, sources, target } = work
  await noteEndEpoch(deps, work)
  const [source] = sources
  if (!source) return complete(deps, work)
  // It waits for an operator; the end may still come by itself.
  if (replacement.status === 'cleanup_attention') return done()
  if (!isAlive(target)) return failTarget(deps, work, 'target_lost')
  const end = await slots.work(database.read, source.id)
  const reason = reasonOfEnd(end)
  const message = end.message ?? 'the old service is being ended'
  if (end.kind === 'stopped' && end.reason === null) {
    await database.write((tx) => slots.requestEnd(tx, { dataSetId: source.id, cause: 'replaced' }))
    return again(deps, 'retirement')
  }
  if (end.kind === 'stopped' || reason === 'debt') {
    await database.write((tx) => deps.states.apply(tx, 'attention', replacement.id, { message }))
    return done()
  }
  if (reason) return pause(deps, replacement, { phase: 'retire', reason, message })
  if (end.kind === 'waiting') await carryOn(deps, replacement, 'retire')
  return again(deps, 'retirement', `the service of data set ${source.id} of replica ${slot.slot} is being ended`)
}

async function noteEndEpoch({ database }: Engine, { replacement, slot }: Work): Promise<void> {
  const epoch = slot.generations.find(({ id }) => id === replacement.sourceId)?.endEpoch
  if (epoch && replacement.terminationEpoch === null) await database.write((tx) => recordEndEpoch(tx, replacement.id, epoch))
}

async function complete({ database, states }: Engine, { replacement: { id } }: Work): Promise<Outcome> {
  const isCompleted = await database.write(async (tx) => {
    if (!(await lockReplacement(tx, id))) return false
    await freezeItems(tx, id)
    return states.apply(tx, 'completed', id)
  })
  if (isCompleted) await completed()
  return done()
}
