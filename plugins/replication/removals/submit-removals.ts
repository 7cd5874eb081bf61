/** @walk removal 9: removes several pieces with one paid request */
import { defineProbe, type Outcome } from '#kernel'
import {
  findSizeRefusal,
  isAtLeast,
  type NotSentCause,
  type ProviderAnswer,
  removalsAtOnceMax,
  removalsPerCallMax,
  type Submitted,
  waitForTurn,
} from '#plugins/providers'
import { type Sent, sendAttempt } from '#plugins/wallet'
import { signScheduleRemovals } from '../chain/typed-data.ts'
import { type DataSetGoneDeps, handleDataSetGone, holdWrites } from '../copies/losses/data-set-gone.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { writePriced } from '../datasets/price-list-store.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { learnAccepted, learnRefused, nextCallPieces } from '../states/call-limit-store.ts'
import { firstPieces } from '../submissions/call-limit-policy.ts'
import { judgeRefusal } from '../submissions/setback-policy.ts'
import { openAttempts, recordAttempt, recordSubmitted, recordUncertain, reopenAttempt } from './attempt-store.ts'
import type { EndRemovalsDeps } from './end-removals.ts'
import type { RemovalsOfDataSet } from './finally-removed.ts'
import { proveRemovals } from './prove-removals.ts'
import { startedRemovals } from './removal-store.ts'

export type SubmitRemovalsDeps = DataSetGoneDeps & EndRemovalsDeps & Pick<Pipeline, 'funds' | 'providers'>

const recorded = defineProbe('storage.remove.recorded')
const sent = defineProbe('storage.remove.sent')
const settled = defineProbe('storage.remove.settled')

/** Requests the removal of the next pieces from the provider, one request at a time. Undefined when a request is open or not possible. */
export async function submitRemovals(deps: SubmitRemovalsDeps, work: RemovalsOfDataSet, signal: AbortSignal): Promise<Outcome | undefined> {
  const { database, clock, chain, signer, providers } = deps
  const { dataSet, queued } = work
  // One attempt at a time. Attempts that wait for an operator do not block the others, but may still fill the queue.
  if ((await openAttempts(database.read, dataSet.id)).some(({ attentionTaskId }) => attentionTaskId === null)) return undefined
  const undecided = (await startedRemovals(database.read, dataSet.id)).filter(({ state }) => state !== 'scheduled')
  const { pdpVerifier } = await chain.contractVersions()
  const max = isAtLeast(pdpVerifier, [3, 5]) ? removalsPerCallMax : removalsAtOnceMax
  const limit = await nextCallPieces(database.read, removalOf(dataSet), { max, nowMs: clock.now() })
  const room = limit - queued.size - undecided.length
  const removals = room > 0 ? await proveRemovals(deps, work, room) : []
  if (removals.length === 0) return undefined
  // Each deletion starts a round: while the provider refuses the data set, send no request.
  const hold = await holdWrites(deps, dataSet)
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
  const pieces = { asked: pieceIds.length, queued: queued.size + undecided.length }
  const refused = await sendAttempt<number, ProviderAnswer<Submitted>, Refusal | undefined>({
    probes: { recorded, sent },
    record: () =>
      writePriced(deps, (tx, priceList) =>
        recordAttempt(tx, { dataSetId: dataSet.id, extraData, priceList, removals, nowMs: clock.now() }),
      ),
    send: async () => {
      signal.throwIfAborted()
      return turn.client.deletePieces({ dataSetId: dataSet.chainId, pieceIds, extraData }, { signal })
    },
    answered: (answer, attemptId) => recordAnswer(deps, { dataSet, attemptId, pieces }, answer),
    notSent: async ({ cause }, attemptId) => ({ dataSet, attemptId, cause, pieces }),
  })
  return refused && (await handleRefusal(deps, refused))
}

const removalOf = ({ providerId }: Pick<DataSet, 'providerId'>) => ({ providerId, call: 'removal' }) as const

async function recordAnswer(
  { database, clock, funds }: Pick<Pipeline, 'database' | 'clock' | 'funds'>,
  { dataSet, attemptId, pieces }: SentRemoval,
  answer: Sent<ProviderAnswer<Submitted>>,
): Promise<undefined> {
  const nowMs = clock.now()
  await database.write(async (tx) => {
    if (answer.kind === 'ok') {
      await recordSubmitted(tx, attemptId, { txHash: answer.value.txHash, nowMs })
      await learnAccepted(tx, removalOf(dataSet), pieces.asked + pieces.queued)
    } else await recordUncertain(tx, attemptId, { message: answer.cause.detail, nowMs })
  })
  await settled()
  funds.forget()
}

interface SentRemoval {
  readonly dataSet: DataSet
  readonly attemptId: number
  /** Pieces of the request, and those that were queued before it. */
  readonly pieces: { readonly asked: number; readonly queued: number }
}

interface Refusal extends SentRemoval {
  readonly cause: NotSentCause
}

/** The request had no effect: its removals are pending again. */
async function handleRefusal(deps: SubmitRemovalsDeps, { dataSet, attemptId, cause, pieces }: Refusal): Promise<Outcome> {
  const { database, clock, pace, funds } = deps
  const setback = judgeRefusal(cause, pace)
  const learnt = limitIn(cause, pieces)
  await database.write(async (tx) => {
    await reopenAttempt(tx, attemptId, { message: setback.message, nowMs: clock.now() })
    if (learnt) await learnRefused(tx, removalOf(dataSet), { ...learnt, nowMs: clock.now() })
  })
  if (learnt) return waitFor(clock, 'retry', 0)
  if (setback.kind === 'wait') {
    if (setback.reason === 'funding') funds.forget()
    // A full queue has space after the next proving period; waiting for it uses no attempt (I-08).
    return waitFor(clock, setback.reason, setback.forMs, setback.message)
  }
  if (setback.kind === 'data_set_gone') return handleDataSetGone(deps, dataSet, setback.message)
  throw new PipelineFault(setback.code, `provider ${dataSet.providerId} refused a removal: ${setback.message}`)
}

/** Providers with a limit count the queued removals too: with a full queue they are busy. */
function limitIn(cause: NotSentCause, { asked, queued }: SentRemoval['pieces']) {
  const tooLarge = findSizeRefusal(cause)
  if (tooLarge && asked > 1) return { pieces: asked + queued, named: tooLarge.named }
  const isQueueFull = cause.reason === 'throttled' && queued >= firstPieces.removal
  return isQueueFull ? { pieces: asked + queued, named: firstPieces.removal } : undefined
}
