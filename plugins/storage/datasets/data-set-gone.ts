import type { Tx } from '#kernel'
import { callOperator, withdrawCalls } from '../copies/attention.ts'
import { openBatches } from '../copies/batch-store.ts'
import { contentsOfDataSet, endWrites, loseCopies, recountContent } from '../copies/copy-store.ts'
import { lookAtDataSets, readDepths } from '../finality/look.ts'
import type { LookVerdict } from '../finality/look-policy.ts'
import { unfinalDataSet } from '../finality/look-store.ts'
import { type Pipeline, PipelineFault, type Wait, waitFor } from '../pipeline.ts'
import { type DataSet, findDataSet, markLost, markWriteBlocked, noteGone, takesPieces } from './data-set-store.ts'
import { dataSetRefusalsMax, nextRequestAtMs, refusalPauseMs } from './refusal-policy.ts'
import { countRefusal, hasCommitted, hasUnsent, pauseWrites, providerRefusals, readRefusals, unsentContents } from './refusal-store.ts'

/** Contents recounted in one transaction. */
const recountPage = 500

/**
 * A provider says that it will not write to the data set. Only the chain's word changes its state, and only a word that holds for a while:
 * one node that lags behind must not end a paid service. The request is repeated after a growing pause only (`holdWrites`).
 */
export async function handleDataSetGone(doors: Pipeline, dataSet: DataSet, message: string): Promise<Wait> {
  const { database, clock, pace } = doors
  if (dataSet.chainId === null) throw new PipelineFault('data_set_unknown', `the provider does not know data set ${dataSet.id}: ${message}`)
  // A creation that a reorganisation took back is followed by its nonce: the service has not ended, and its id may be another's now.
  if ((await lookAtCreation(doors, dataSet)) === 'vanished') return waitFor(clock, 'target_creating', pace.creationMs)
  const nowMs = clock.now()
  // On record before the chain is asked: a stop or a silent chain node must not lead to the same request at once.
  const refusals = await database.write((tx) => {
    const count = countRefusal(tx, dataSet, nowMs)
    pauseWrites(tx, dataSet.id, { untilMs: nowMs + refusalPauseMs(pace, count), message })
    return count
  })
  const gone = await askChain(doors, dataSet)
  if (gone) return gone
  doors.log.warn('a provider refuses a data set that is live on chain', {
    provider: dataSet.providerId,
    dataSet: dataSet.id,
    refusals,
    message,
  })
  if (refusals >= dataSetRefusalsMax) await database.write((tx) => callForRefused(doors, tx, dataSet.id))
  return refusedUntil(doors, nowMs + refusalPauseMs(pace, refusals), message)
}

/**
 * Why nothing may be sent to the data set now; undefined when it may. A data set that its provider refused is looked up on chain before
 * a paid request is repeated, and all data sets of a provider together stay below the refusals that it tolerates.
 */
export async function holdWrites(doors: Pipeline, dataSet: DataSet): Promise<Wait | undefined> {
  const { database, clock } = doors
  const { refusals, writesPausedUntilMs } = readRefusals(database.read, dataSet.id)
  const isPaused = writesPausedUntilMs !== null && writesPausedUntilMs > clock.now()
  // Once the chain has said that it is gone, the chain is asked again all through the pause: that costs the provider nothing.
  if (refusals > 0 && (!isPaused || dataSet.goneSeenAtMs !== null)) {
    const gone = await askChain(doors, dataSet)
    if (gone) return gone
  }
  if (isPaused) return refusedUntil(doors, writesPausedUntilMs, dataSet.lastError ?? 'no reason given')
  const nextAtMs = nextRequestAtMs(providerRefusals(database.read, dataSet.providerId), clock.now())
  if (nextAtMs === undefined) return undefined
  return toWait(
    doors,
    'provider',
    nextAtMs,
    'the provider refused several data sets within a minute; it is left alone until the minute is over',
  )
}

const toWait = ({ clock }: Pipeline, reason: string, untilMs: number, message: string) =>
  waitFor(clock, reason, untilMs - clock.now(), message)

const refusedUntil = (doors: Pipeline, untilMs: number, message: string) =>
  toWait(
    doors,
    'provider',
    untilMs,
    `the provider takes nothing for the data set, which is live on chain; it is asked again later: ${message}`,
  )

/** Ends the data set when the chain has said for long enough that it ended. Undefined while it is live. */
async function askChain(doors: Pipeline, dataSet: DataSet): Promise<Wait | undefined> {
  const { reads, database, clock, pace } = doors
  if (dataSet.chainId === null) return undefined
  const liveness = await reads.liveness(dataSet.chainId)
  const nowMs = clock.now()
  if (liveness.live) {
    await database.write((tx) => noteGone(tx, dataSet.id, null))
    return undefined
  }
  // While its creation is not final, the absence may be a reorganisation's: only a nonce that stands allows the end.
  const creation = liveness.reason === 'terminated' ? undefined : await lookAtCreation(doors, dataSet)
  if (creation === 'vanished') return waitFor(clock, 'target_creating', pace.creationMs)
  if (creation === 'stale') return waitFor(clock, 'data_set', pace.providerMs, 'the chain node is behind the creation; it is asked again')
  const seenAtMs = await database.write((tx) => noteGone(tx, dataSet.id, nowMs))
  // A termination is something the node has seen; an absence may only mean that it has not seen enough.
  if (liveness.reason !== 'terminated' && nowMs - seenAtMs < pace.handlingMs)
    return toWait(doors, 'data_set', nowMs + pace.providerMs, `the chain says ${liveness.reason}; it is asked again`)
  await end(doors, dataSet, liveness.reason)
  return toWait(doors, 'data_set', nowMs + pace.epochMs, 'the data set has ended on chain; its bucket needs another provider')
}

async function end(doors: Pipeline, dataSet: DataSet, reason: string): Promise<void> {
  const { database, clock, log, schedule } = doors
  const nowMs = clock.now()
  log.warn('a data set takes no more pieces', { dataSet: dataSet.id, chainId: String(dataSet.chainId), reason })
  const why = { message: `the chain says: ${reason}`, nowMs }
  await database.write((tx) => {
    // The end of unsent work is recounted below, or by the commit task where this run does not come to its end.
    noteGone(tx, dataSet.id, nowMs)
    schedule.commit(tx, dataSet.id)
    endUnsent(doors, tx, dataSet.id)
    if (reason === 'terminated') return markWriteBlocked(tx, dataSet.id, why)
    markLost(tx, dataSet.id, why)
    loseCopies(tx, dataSet.id, nowMs)
  })
  await recountAll(doors, dataSet.id)
}

/**
 * I-29: what is left of a data set that has ended. Its contents are counted anew if a stop came between; and what was on its way at its
 * end and did not land, or landed in a data set that is lost, ends here.
 */
export async function finishEnd(doors: Pipeline, { id }: Pick<DataSet, 'id'>): Promise<void> {
  const { database, clock } = doors
  const dataSet = findDataSet(database.read, id)
  if (!dataSet || takesPieces(dataSet.state)) return
  if (dataSet.goneSeenAtMs === null && !hasUnsent(database.read, dataSet)) return
  if (await finishLate(doors, dataSet)) return
  await database.write((tx) => {
    noteGone(tx, id, clock.now())
    endUnsent(doors, tx, id)
    if (dataSet.state === 'lost') loseCopies(tx, id, clock.now())
  })
  await recountAll(doors, id)
}

/** What did not land after the end ends alone: everything else is counted already. False where there is more to do, or much. */
async function finishLate(doors: Pipeline, { id, state, goneSeenAtMs }: DataSet): Promise<boolean> {
  return doors.database.write((tx) => {
    const contents = unsentContents(tx, id, recountPage + 1)
    if (goneSeenAtMs !== null || contents.length > recountPage || (state === 'lost' && hasCommitted(tx, id))) return false
    endUnsent(doors, tx, id)
    recount(doors, tx, contents)
    return true
  })
}

function endUnsent(doors: Pipeline, tx: Tx, dataSetId: number): void {
  for (const batch of openBatches(tx, dataSetId)) if (batch.state === 'ready') withdrawCalls(doors, tx, batch)
  endWrites(tx, dataSetId, doors.clock.now())
}

function callForRefused(doors: Pipeline, tx: Tx, dataSetId: number): void {
  for (const batch of openBatches(tx, dataSetId)) if (batch.state === 'ready') callOperator(doors, tx, batch, 'data_set_refused')
}

/** A creation that vanished is taken back by the look. Undefined where it is final on record. */
async function lookAtCreation(doors: Pipeline, { id }: DataSet): Promise<LookVerdict | undefined> {
  const creation = unfinalDataSet(doors.database.read, id)
  return creation && (await lookAtDataSets(doors, [creation], await readDepths(doors))).get(id)
}

/** Page by page, so that nobody waits long for the writer. Nothing may be released meanwhile: loseCopies has seen to that. */
async function recountAll(doors: Pipeline, dataSetId: number): Promise<void> {
  const { database } = doors
  for (let after = 0; ; ) {
    const contents = contentsOfDataSet(database.read, dataSetId, { after, limit: recountPage })
    if (contents.length === 0) break
    after = contents.at(-1) ?? after
    await database.write((tx) => recount(doors, tx, contents))
  }
  await database.write((tx) => noteGone(tx, dataSetId, null))
}

function recount({ clock, schedule, uploadEvents }: Pipeline, tx: Tx, contents: readonly number[]): void {
  for (const contentId of contents) {
    recountContent(tx, contentId, clock.now())
    uploadEvents.moved(tx, contentId)
    // Whatever the data set still lacked is brought elsewhere, where there is elsewhere.
    schedule.store(tx, contentId)
  }
}
