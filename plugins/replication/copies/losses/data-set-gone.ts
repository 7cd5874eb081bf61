import type { Tx } from '#kernel'
import { type DataSet, recordGoneSeen } from '../../datasets/data-set-store.ts'
import { dataSetRefusalsMax, nextRequestAtMs, refusalPauseMs } from '../../datasets/refusal-policy.ts'
import { countRefusal, pauseWrites, providerRefusals, readRefusals } from '../../datasets/refusal-store.ts'
import { checkDataSets, type LandingChecksDeps, readDepths } from '../../finality/landing-checks.ts'
import type { LandingVerdict } from '../../finality/landing-policy.ts'
import { unfinalDataSet } from '../../finality/landing-store.ts'
import { type Pipeline, PipelineFault, type Wait, waitFor } from '../../pipeline.ts'
import { openBatchRows } from '../records/batch-store.ts'

export type DataSetGoneDeps = LandingChecksDeps & Pick<Pipeline, 'chain'>

/**
 * A provider refuses to write to the data set. Only the chain changes its state, and only with a lasting answer: a lagging node must not
 * end a paid service. The request is repeated after a growing pause (`holdWrites`).
 */
export async function handleDataSetGone(deps: DataSetGoneDeps, dataSet: DataSet, message: string): Promise<Wait> {
  const { database, clock, pace } = deps
  if (dataSet.chainId === null) throw new PipelineFault('data_set_unknown', `the provider does not know data set ${dataSet.id}: ${message}`)
  // A creation that a reorganisation removed is followed by its nonce: the data set has not ended, and its id may belong to another one.
  if ((await checkCreation(deps, dataSet)) === 'missing') return waitFor(clock, 'target_creating', pace.creationMs)
  const nowMs = clock.now()
  // Recorded before the chain lookup: a stop or an unreachable chain node must not repeat the request at once.
  const refusals = await database.write(async (tx) => {
    const count = await countRefusal(tx, dataSet, nowMs)
    await pauseWrites(tx, dataSet.id, { untilMs: nowMs + refusalPauseMs(pace, count), message })
    return count
  })
  const ended = await followEnd(deps, dataSet)
  if (ended) return ended
  deps.log.warn('a provider refuses a data set that is live on chain', {
    provider: dataSet.providerId,
    dataSet: dataSet.id,
    refusals,
    message,
  })
  if (refusals >= dataSetRefusalsMax) await database.write((tx) => callOperator(deps, tx, dataSet.id))
  return refusedUntil(deps, nowMs + refusalPauseMs(pace, refusals), message)
}

/**
 * The wait before the next request to the data set; undefined when it may be sent now. A refused data set is looked up on chain before a
 * paid request is repeated, and all data sets of a provider together stay below the refusals that it tolerates.
 */
export async function holdWrites(deps: DataSetGoneDeps, dataSet: DataSet): Promise<Wait | undefined> {
  const { database, clock } = deps
  const { refusals, writesPausedUntilMs } = await readRefusals(database.read, dataSet.id)
  const isPaused = writesPausedUntilMs !== null && writesPausedUntilMs > clock.now()
  // Once the chain has reported the end, it is checked during the pause too: that costs the provider nothing.
  if (refusals > 0 && (!isPaused || dataSet.goneSeenAtMs !== null)) {
    const ended = await followEnd(deps, dataSet)
    if (ended) return ended
  }
  if (isPaused) return refusedUntil(deps, writesPausedUntilMs, dataSet.lastError ?? 'no reason given')
  const nextAtMs = nextRequestAtMs(await providerRefusals(database.read, dataSet.providerId), clock.now())
  if (nextAtMs === undefined) return undefined
  return waitUntil(
    deps,
    'provider',
    nextAtMs,
    'the provider refused several data sets within a minute; no request is sent until the minute is over',
  )
}

const waitUntil = ({ clock }: Pick<Pipeline, 'clock'>, reason: string, untilMs: number, message: string) =>
  waitFor(clock, reason, untilMs - clock.now(), message)

const refusedUntil = (deps: Pick<Pipeline, 'clock'>, untilMs: number, message: string) =>
  waitUntil(
    deps,
    'provider',
    untilMs,
    `the provider refuses the data set, which is live on chain; the request is sent again later: ${message}`,
  )

/** Ends the data set when the chain has reported its end for long enough. Undefined while it is live. */
export async function followEnd(deps: DataSetGoneDeps, dataSet: DataSet): Promise<Wait | undefined> {
  const { reads, database, clock, log, pace, states } = deps
  if (dataSet.chainId === null) return undefined
  const liveness = await reads.liveness(dataSet.chainId)
  const nowMs = clock.now()
  if (liveness.live) {
    await database.write((tx) => recordGoneSeen(tx, dataSet.id, null))
    return undefined
  }
  // While the creation is not final, a reorganisation may cause the absence: only a confirmed nonce allows the end.
  const creation = liveness.reason === 'terminated' ? undefined : await checkCreation(deps, dataSet)
  if (creation === 'missing') return waitFor(clock, 'target_creating', pace.creationMs)
  if (creation === 'stale') return waitFor(clock, 'data_set', pace.providerMs, 'the chain node is behind the creation; it is checked again')
  const seenAtMs = await database.write((tx) => recordGoneSeen(tx, dataSet.id, nowMs))
  // A termination is certain; an absence may come from a lagging node.
  if (liveness.reason !== 'terminated' && nowMs - seenAtMs < pace.handlingMs)
    return waitUntil(deps, 'data_set', nowMs + pace.providerMs, `state of the data set on chain: ${liveness.reason}; it is checked again`)
  const { reason } = liveness
  log.warn('a data set takes no more pieces', { dataSet: dataSet.id, chainId: String(dataSet.chainId), reason })
  const event = reason === 'terminated' ? 'terminated' : 'lost'
  await database.write((tx) => states.dataSets.apply(tx, event, dataSet.id, { message: `state on chain: ${reason}` }))
  return waitUntil(deps, 'data_set', nowMs + pace.epochMs, 'the data set has ended on chain; its bucket needs another provider')
}

async function callOperator({ states }: DataSetGoneDeps, tx: Tx, dataSetId: number): Promise<void> {
  for (const batch of await openBatchRows(tx, dataSetId))
    if (batch.state === 'ready') await states.batches.callOperator(tx, batch, 'data_set_refused')
}

/** Checks a creation that is not final, and rolls it back when it is missing on chain. Undefined when it is final. */
async function checkCreation(deps: DataSetGoneDeps, { id }: DataSet): Promise<LandingVerdict | undefined> {
  const creation = await unfinalDataSet(deps.database.read, id)
  if (!creation) return undefined
  const depths = await readDepths(deps)
  return (await checkDataSets(deps, [creation], depths)).get(id)
}
