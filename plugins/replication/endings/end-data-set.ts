/** @walk ending 4: waits until the pieces are removed, then ends the service */
import { defineProbe, done, type Outcome } from '#kernel'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { findEndBlock } from '../slots/slot-store.ts'
import { endingStates } from '../submissions/row-states-policy.ts'
import { lookUpEnd } from './chain-end.ts'
import { beginRetiring, changeEnding, type Ending, findEnding } from './ending-store.ts'
import type { EndingWork } from './ending-work.ts'
import { forgetEnded } from './forget-data-set.ts'
import { isOfDeletedBucket } from './forget-data-set-store.ts'
import { hasOpenWork } from './open-work-store.ts'
import { payEnding, settlePayer } from './pay-ending.ts'
import { type RelayEndingDeps, relayEnding, settleRelay } from './relay-ending.ts'
import { confirmEnd, landed } from './settle-ending.ts'

const retiring = defineProbe('storage.end.retiring')

/**
 * The removal of pieces may take this long before the service is ended with the rest of them: a provider removes few pieces in a proving
 * period, so a large bucket would be paid for years.
 */
const removalsWithinMs = 24 * 3_600_000
/** Poll intervals, in epochs. */
const removalEpochs = 4
const creationEpochs = 2

/** One step of the end of a data set. Safe to repeat from any point. */
export async function endDataSet(deps: RelayEndingDeps, id: number, signal: AbortSignal): Promise<Outcome> {
  const { database } = deps
  const dataSet = await findDataSet(database.read, id)
  const ending = await findEnding(database.read, id)
  // Ids of data sets are used again: only the row says that this one must end.
  if (!dataSet || !ending) return done()
  switch (dataSet.state) {
    case 'planned':
      return (await mayLand(deps, dataSet)) ? followCreation(deps, dataSet) : forgetPlan(deps, dataSet)
    case 'creating':
      return waitForCreation(deps)
    case 'retired':
    case 'abandoned':
      return forgetEnded(deps, dataSet)
    default:
      return endService(deps, { dataSet, ending }, signal)
  }
}

async function endService(
  deps: RelayEndingDeps,
  { dataSet, ending }: { readonly dataSet: DataSet; readonly ending: Ending },
  signal: AbortSignal,
): Promise<Outcome> {
  const { database, clock, pace, states } = deps
  const chainId = dataSet.chainId ?? (await createdId(deps, dataSet))
  // Its creation was on chain before a reorganisation, and may land again.
  if (chainId === undefined) return followCreation(deps, dataSet)
  if (!(await isOfDeletedBucket(database.read, dataSet.bucketId))) {
    // The check precedes each request: the successor may be lost at any time.
    const blocked = ending.state === endingStates.ready ? await findEndBlock(database.read, dataSet.id) : undefined
    if (blocked) return waitFor(clock, 'retirement', pace.epochMs * removalEpochs, `the service is not ended yet: ${blocked}`)
  } else if (ending.retiringAtMs === null) {
    const isEarly = clock.now() - ending.requestedAtMs < removalsWithinMs
    if (isEarly && (await hasOpenWork(database.read, dataSet.id)))
      return waitFor(clock, 'removal', pace.epochMs * removalEpochs, 'the service ends when the pieces of the data set are removed')
  }
  if (ending.retiringAtMs === null) {
    await database.write((tx) => beginRetiring(states, tx, dataSet.id, clock.now()))
    await retiring()
    return waitFor(clock, 'removal', 0)
  }
  return terminate(deps, { dataSet, ending, chainId }, signal)
}

async function terminate(deps: RelayEndingDeps, work: EndingWork, signal: AbortSignal): Promise<Outcome> {
  const { clock, pace } = deps
  const { state, path } = work.ending
  if (state === endingStates.landed) return confirmEnd(deps, work)
  if (state !== endingStates.ready) return path === 'relay' ? settleRelay(deps, work, signal) : settlePayer(deps, work)
  const found = await lookUpEnd(deps, work)
  if (found.kind === 'ended') return landed(deps, work, found.endEpoch)
  if (found.kind === 'absent')
    return waitFor(clock, 'data_set', pace.epochMs * creationEpochs, 'the chain node does not know the data set; it is looked up again')
  return path === 'relay' ? relayEnding(deps, work, signal) : payEnding(deps, work)
}

/** A lost data set may have no recorded id: its nonce tells whether the chain has it. */
async function createdId({ reads, signer }: Pick<Pipeline, 'reads' | 'signer'>, { clientDataSetId }: DataSet): Promise<bigint | undefined> {
  const outcome = await reads.nonceOutcome(signer.address, clientDataSetId)
  return outcome.landed ? outcome.dataSetId : undefined
}

/**
 * Whether a planned data set may be created by its provider, which got the signed creation and refused it. A sender nonce is recorded only
 * by the look-up that proved that no transaction of the provider creates it.
 */
async function mayLand(deps: Pick<Pipeline, 'reads' | 'signer'>, dataSet: DataSet): Promise<boolean> {
  if (dataSet.createOfferedAtMs === null) return false
  return dataSet.createSenderNonce === null || (await createdId(deps, dataSet)) !== undefined
}

/** The task of the creation looks it up: then the data set has its id on chain, or is planned with a proof that it cannot land. */
async function followCreation(deps: RelayEndingDeps, { id }: DataSet): Promise<Outcome> {
  const { database, schedule, states } = deps
  await database.write(async (tx) => {
    // Its task also runs when it follows the creation already.
    if (!(await states.dataSets.apply(tx, 'creation_followed', id))) await schedule.ensure(tx, id)
  })
  return waitForCreation(deps)
}

const waitForCreation = ({ clock, pace }: Pick<Pipeline, 'clock' | 'pace'>): Outcome =>
  waitFor(clock, 'target_creating', pace.epochMs * creationEpochs, 'the creation of the data set is not decided yet')

/** The chain has nothing of the data set. */
async function forgetPlan(deps: RelayEndingDeps, dataSet: DataSet): Promise<Outcome> {
  const { database, clock, states } = deps
  await database.write(async (tx) => {
    await changeEnding(tx, 'ended', dataSet.id, { nowMs: clock.now() })
    await states.dataSets.apply(tx, 'never_created', dataSet.id)
  })
  return forgetEnded(deps, dataSet)
}
