import { defineProbe, type Outcome } from '#kernel'
import { removalsPerCallMax } from '../chain/provider-limits.ts'
import { signScheduleRemovals } from '../chain/typed-data.ts'
import { judgeRefusal } from '../copies/setback-policy.ts'
import { handleDataSetGone, holdWrites } from '../datasets/data-set-gone.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { waitForTurn } from '../datasets/provider-turns.ts'
import type { Depths } from '../finality/look.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { proveRemovals } from './prove-removals.ts'
import { openAttempts, recordAttempt, recordSubmitted, recordUncertain, reopenAttempt, startedRemovals } from './removal-store.ts'

const recorded = defineProbe('storage.remove.recorded')
const sent = defineProbe('storage.remove.sent')
const settled = defineProbe('storage.remove.settled')

export interface RemovalsOfDataSet {
  readonly dataSet: DataSet & { readonly chainId: bigint }
  /** Pieces in the data set's removal queue on chain. */
  readonly queued: ReadonlySet<bigint>
  readonly depths: Depths
  readonly taskId: number
}

/** Asks the provider to remove the next pieces, one request at a time. Undefined when that is under way or not yet possible. */
export async function submitRemovals(doors: Pipeline, work: RemovalsOfDataSet, signal: AbortSignal): Promise<Outcome | undefined> {
  const { database, clock, chain, signer, providers } = doors
  const { dataSet, queued } = work
  // One attempt at a time; those that wait for an operator hold nobody up, but may still fill the queue.
  if (openAttempts(database.read, dataSet.id).some(({ attentionTaskId }) => attentionTaskId === null)) return undefined
  const undecided = startedRemovals(database.read, dataSet.id).filter(({ state }) => state !== 'scheduled')
  const room = removalsPerCallMax - queued.size - undecided.length
  const removals = room > 0 ? await proveRemovals(doors, work, room) : []
  if (removals.length === 0) return undefined
  // Each deletion begins a round: while the provider refuses the data set, none of them may become a request.
  const hold = await holdWrites(doors, dataSet)
  if (hold) return hold
  const pieceIds = removals.map(({ pieceId }) => pieceId)
  using turn = providers.turns.take(dataSet.serviceUrl, 'removal')
  if (turn.refusal) return waitForTurn(turn.refusal)
  const extraData = await signScheduleRemovals({
    account: signer,
    domain: { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss },
    clientDataSetId: dataSet.clientDataSetId,
    pieceIds,
  })
  // I-04: from here on the attempt is on record, and after a crash the chain is asked before anything is sent again.
  const attemptId = await database.write((tx) => recordAttempt(tx, { dataSetId: dataSet.id, extraData, removals, nowMs: clock.now() }))
  if (attemptId === undefined) return undefined
  await recorded()
  signal.throwIfAborted()
  const client = providers.client(dataSet.serviceUrl)
  const answer = turn.heard(await client.deletePieces({ dataSetId: dataSet.chainId, pieceIds, extraData }, { signal }))
  await sent()
  if (answer.kind === 'not_sent') return handleRefusal(doors, { dataSet, attemptId, cause: answer.cause })
  const nowMs = clock.now()
  await database.write((tx) => {
    if (answer.kind === 'ok') recordSubmitted(tx, attemptId, { txHash: answer.value.txHash, nowMs })
    else recordUncertain(tx, attemptId, { message: answer.cause.detail, nowMs })
  })
  await settled()
  doors.funds.forget()
  return undefined
}

type Refused = Extract<Awaited<ReturnType<ReturnType<Pipeline['providers']['client']>['deletePieces']>>, { readonly kind: 'not_sent' }>

interface Refusal {
  readonly dataSet: DataSet
  readonly attemptId: number
  readonly cause: Refused['cause']
}

/** Nothing was sent, that much is certain: the removals wait for another try. */
async function handleRefusal(doors: Pipeline, { dataSet, attemptId, cause }: Refusal): Promise<Outcome> {
  const { database, clock, pace, funds } = doors
  const setback = judgeRefusal(cause, pace)
  await database.write((tx) => reopenAttempt(tx, attemptId, { message: setback.message, nowMs: clock.now() }))
  if (setback.kind === 'wait') {
    if (setback.reason === 'funding') funds.forget()
    // A full queue has room again after the next proving period; waiting for it is no failure (I-08).
    return waitFor(clock, setback.reason, setback.forMs, setback.message)
  }
  if (setback.kind === 'data_set_gone') return handleDataSetGone(doors, dataSet, setback.message)
  throw new PipelineFault(setback.code, `provider ${dataSet.providerId} refused a removal: ${setback.message}`)
}
