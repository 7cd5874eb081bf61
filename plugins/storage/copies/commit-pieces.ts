import { defineProbe, done, type Outcome } from '#kernel'
import { piecesPerCallMax } from '../chain/provider-limits.ts'
import { newNonce, signAddPieces } from '../chain/typed-data.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { openBatches, parkedCopies, recordBatch } from './batch-store.ts'
import { resolveBatch } from './resolve-batch.ts'
import { submitBatch } from './submit-batch.ts'

const recorded = defineProbe('storage.commit.recorded')

/** Batches of one data set that may be on their way at the same time. */
const batchesOnTheirWayMax = 2

/** One round of a data set's commits: settle what is open, submit what is ready, batch what is parked. Says when to come again. */
export async function commitPieces(doors: Pipeline, dataSetId: number, signal: AbortSignal): Promise<Outcome> {
  const { database, clock } = doors
  const dataSet = findDataSet(database.read, dataSetId)
  if (!dataSet || dataSet.chainId === null) return done()
  for (const batch of openBatches(database.read, dataSetId)) {
    if (batch.state === 'pulling' || batch.state === 'ready' || batch.nextCheckAtMs > clock.now()) continue
    await resolveBatch(doors, { dataSet, batch }, signal)
  }
  if (dataSet.state === 'ready') await recordNextBatch(doors, dataSet)
  for (const batch of openBatches(database.read, dataSetId)) {
    if (batch.state !== 'ready') continue
    if (countOnTheirWay(doors, dataSetId) >= batchesOnTheirWayMax) break
    const setback = await submitBatch(doors, { dataSet, batch }, signal)
    if (setback) return setback
  }
  return nextRound(doors, dataSetId)
}

function countOnTheirWay({ database }: Pipeline, dataSetId: number): number {
  return openBatches(database.read, dataSetId).filter((batch) => batch.state === 'submitting' || batch.state === 'submitted').length
}

/** Parked copies become a batch once there are enough, or the oldest waited long enough for company. */
async function recordNextBatch(doors: Pipeline, dataSet: DataSet): Promise<void> {
  const { database, clock, pace, signer, chain } = doors
  const parked = parkedCopies(database.read, dataSet.id, piecesPerCallMax)
  const oldest = parked[0]
  if (!oldest || (parked.length < piecesPerCallMax && clock.now() < oldest.parkedAtMs + pace.lingerMs)) return
  const nonce = newNonce()
  const extraData = await signAddPieces({
    account: signer,
    domain: { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss },
    clientDataSetId: dataSet.clientDataSetId,
    nonce,
    pieces: parked,
  })
  // Undefined when a copy was taken meanwhile: the next round sees what is left.
  await database.write((tx) =>
    recordBatch(tx, { dataSetId: dataSet.id, method: 'store', nonce, extraData, items: parked, nowMs: clock.now() }),
  )
  await recorded()
}

function nextRound({ database, clock, pace }: Pipeline, dataSetId: number): Outcome {
  const open = openBatches(database.read, dataSetId)
  const parked = parkedCopies(database.read, dataSetId, 1)[0]
  const checks = open
    .filter((batch) => batch.state === 'submitting' || batch.state === 'submitted' || batch.state === 'uncertain')
    .map((batch) => batch.nextCheckAtMs)
  const ready = open.some((batch) => batch.state === 'ready') ? [clock.now() + pace.epochMs / 2] : []
  const linger = parked ? [parked.parkedAtMs + pace.lingerMs] : []
  const times = [...checks, ...ready, ...linger]
  if (times.length === 0) return done()
  const reason = checks.length > 0 ? 'confirmation' : 'batching'
  return waitFor(
    clock,
    reason,
    Math.max(0, Math.min(...times) - clock.now()),
    checks.length > 0 ? 'waiting for the chain to confirm' : 'waiting for more pieces to share a transaction',
  )
}
