import type { Outcome } from '#kernel'
import { contentsOfDataSet, endWrites, loseCopies, recountContent } from '../copies/copy-store.ts'
import { lookAtDataSets, readDepths } from '../finality/look.ts'
import { unfinalDataSet } from '../finality/look-store.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { type DataSet, markLost, markWriteBlocked, noteGone } from './data-set-store.ts'

/** A data set younger than this may not have reached the provider's own books. */
const settlingEpochs = 20
/** Contents recounted in one transaction. */
const recountPage = 500

/**
 * A provider says that it will not write to the data set. Only the chain's word changes its state, and only a word that holds for a while:
 * one node that lags behind must not end a paid service.
 */
export async function handleDataSetGone(doors: Pipeline, dataSet: DataSet, message: string): Promise<Outcome> {
  const { reads, database, clock, pace, log, schedule } = doors
  if (dataSet.chainId === null) throw new PipelineFault('data_set_unknown', `the provider does not know data set ${dataSet.id}: ${message}`)
  // A creation that a reorganisation took back is followed by its nonce: the service has not ended, and its id may be another's now.
  if (await isCreationTakenBack(doors, dataSet)) return waitFor(clock, 'target_creating', pace.creationMs)
  const liveness = await reads.liveness(dataSet.chainId)
  const nowMs = clock.now()
  if (liveness.live) {
    await database.write((tx) => noteGone(tx, dataSet.id, null))
    const isYoung = nowMs - dataSet.createdAtMs < settlingEpochs * pace.epochMs
    if (isYoung) return waitFor(clock, 'provider', pace.providerMs, `the provider does not know the data set yet: ${message}`)
    // Alive on chain: the provider errs. That is a fault of this attempt, not the end of a paid service.
    throw new PipelineFault(
      'data_set_refused',
      `provider ${dataSet.providerId} refuses data set ${dataSet.chainId}, which is live: ${message}`,
    )
  }
  const seenAtMs = await database.write((tx) => noteGone(tx, dataSet.id, nowMs))
  // A termination is something the node has seen; an absence may only mean that it has not seen enough.
  if (liveness.reason !== 'terminated' && nowMs - seenAtMs < pace.handlingMs)
    return waitFor(clock, 'data_set', pace.providerMs, `the chain says ${liveness.reason}; it is asked again`)
  log.warn('a data set takes no more pieces', { dataSet: dataSet.id, chainId: dataSet.chainId.toString(), reason: liveness.reason })
  const why = { message: `the chain says: ${liveness.reason}`, nowMs }
  await database.write((tx) => {
    endWrites(tx, dataSet.id, nowMs)
    // Counts the contents anew where this run does not come to its end.
    schedule.commit(tx, dataSet.id)
    if (liveness.reason === 'terminated') return markWriteBlocked(tx, dataSet.id, why)
    markLost(tx, dataSet.id, why)
    loseCopies(tx, dataSet.id, nowMs)
  })
  await recountAll(doors, dataSet.id)
  return waitFor(clock, 'data_set', pace.epochMs, 'the data set has ended on chain; its bucket needs another provider')
}

async function isCreationTakenBack(doors: Pipeline, { id }: DataSet): Promise<boolean> {
  const creation = unfinalDataSet(doors.database.read, id)
  return creation !== undefined && (await lookAtDataSets(doors, [creation], await readDepths(doors)))
}

/** Takes up the recount of a data set that has ended, if a stop came between. */
export async function finishEnd(doors: Pipeline, { id, state, goneSeenAtMs }: DataSet): Promise<void> {
  if (goneSeenAtMs !== null && (state === 'lost' || state === 'write_blocked')) await recountAll(doors, id)
}

/** Page by page, so that nobody waits long for the writer. Nothing may be released meanwhile: loseCopies has seen to that. */
async function recountAll({ database, clock, schedule, uploadEvents }: Pipeline, dataSetId: number): Promise<void> {
  for (let after = 0; ; ) {
    const contents = contentsOfDataSet(database.read, dataSetId, { after, limit: recountPage })
    if (contents.length === 0) break
    after = contents.at(-1) ?? after
    await database.write((tx) => {
      for (const contentId of contents) {
        recountContent(tx, contentId, clock.now())
        uploadEvents.moved(tx, contentId)
        // Whatever the data set still lacked is brought elsewhere, where there is elsewhere.
        schedule.store(tx, contentId)
      }
    })
  }
  await database.write((tx) => noteGone(tx, dataSetId, null))
}
