import { defineProbe, done, type Outcome } from '#kernel'
import { piecesPerCallMax } from '../chain/provider-limits.ts'
import { newNonce, signAddPieces } from '../chain/typed-data.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { type CommitBatch, openBatches, parkedCopies, recordBatch } from './batch-store.ts'
import { distinctPieces } from './distinct-pieces-policy.ts'
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
  const isDue = (batch: CommitBatch) => batch.nextCheckAtMs <= clock.now()
  const sent = openBatches(database.read, dataSetId).filter((batch) => isDue(batch) && isSent(batch))
  const faults = await eachBatch(sent, (batch) => resolveBatch(doors, { dataSet, batch }, signal))
  if (dataSet.state === 'ready') await recordNextBatch(doors, dataSet)
  let setback: Outcome | undefined
  const ready = openBatches(database.read, dataSetId).filter((batch) => isDue(batch) && batch.state === 'ready')
  faults.push(
    ...(await eachBatch(ready, async (batch) => {
      if (setback || countOnTheirWay(doors, dataSetId) >= batchesOnTheirWayMax) return
      setback = await submitBatch(doors, { dataSet, batch }, signal)
    })),
  )
  if (faults.length > 0) throw faults[0]
  return setback ?? nextRound(doors, dataSet)
}

const isSent = ({ state }: CommitBatch) => state === 'submitting' || state === 'submitted' || state === 'uncertain'

/** One batch that goes wrong must not hold up those behind it: every batch has its turn, then the faults count. */
async function eachBatch(batches: readonly CommitBatch[], work: (batch: CommitBatch) => Promise<void>): Promise<PipelineFault[]> {
  const faults: PipelineFault[] = []
  for (const batch of batches) {
    try {
      await work(batch)
    } catch (error) {
      if (!(error instanceof PipelineFault)) throw error
      faults.push(error)
    }
  }
  return faults
}

function countOnTheirWay({ database }: Pipeline, dataSetId: number): number {
  return openBatches(database.read, dataSetId).filter((batch) => batch.state === 'submitting' || batch.state === 'submitted').length
}

/** Parked copies become a batch once there are enough, or the oldest waited long enough for company. */
async function recordNextBatch(doors: Pipeline, dataSet: DataSet): Promise<void> {
  const { database, clock, pace, signer, chain } = doors
  const parked = distinctPieces(parkedCopies(database.read, dataSet.id, piecesPerCallMax))
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

function nextRound({ database, clock, pace }: Pipeline, dataSet: DataSet): Outcome {
  const open = openBatches(database.read, dataSet.id)
  // What is parked on a data set that takes no more pieces waits for none of these rounds.
  const parked = dataSet.state === 'ready' ? parkedCopies(database.read, dataSet.id, 1)[0] : undefined
  const checks = open.filter(isSent).map((batch) => batch.nextCheckAtMs)
  const ready = open.filter((batch) => batch.state === 'ready')
  const turns = ready.map((batch) => Math.max(batch.nextCheckAtMs, clock.now() + pace.epochMs / 2))
  const linger = parked ? [parked.parkedAtMs + pace.lingerMs] : []
  const times = [...checks, ...turns, ...linger]
  if (times.length === 0) return done()
  const forMs = Math.max(0, Math.min(...times) - clock.now())
  const delayed = ready.find((batch) => batch.reasonCode !== null && batch.nextCheckAtMs > clock.now())
  if (delayed?.reasonCode) return waitFor(clock, delayed.reasonCode, forMs, delayed.lastError ?? undefined)
  if (checks.length > 0) return waitFor(clock, 'confirmation', forMs, 'waiting for the chain to confirm')
  return waitFor(clock, 'batching', forMs, 'waiting for more pieces to share a transaction')
}
