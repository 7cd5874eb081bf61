import { done, type Outcome, type Tx } from '#kernel'
import { type Turn, waitForTurn } from '#plugins/providers'
import { findDataSet } from '../../datasets/data-set-store.ts'
import { type Pipeline, waitFor } from '../../pipeline.ts'
import { storingReason } from './await-parking.ts'
import { type ParkCopiesDeps, parkCopies } from './park-copies.ts'
import { firstPlace, fullyPlanned, hasUploaded, type UploadedCopy, uploadedCopies } from './uploaded-store.ts'

type ParkUploadedDeps = ParkCopiesDeps & Pick<Pipeline, 'clock' | 'pace' | 'providers' | 'schedule'>

/** Pieces that are looked up between two writes; all of them are parked in one transaction. */
const piecesPerWrite = 40
/** Lookups at one provider at the same time: as many as its idle connections. */
const lookupsMax = 4

/**
 * Parks the uploaded pieces that the data set's provider serves by now, and completes their store tasks. A store task continues by itself
 * when its piece was not found within the parking limit.
 */
export async function parkUploaded(deps: ParkUploadedDeps, dataSetId: number, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, pace, providers } = deps
  const dataSet = await findDataSet(database.read, dataSetId)
  if (!dataSet) return done()
  using turn = providers.turns.take(dataSet.serviceUrl, 'lookup')
  if (turn.refusal) return waitForTurn(turn.refusal)
  const sinceMs = clock.now() - pace.parkingLimitMs
  // A provider needs time to store a piece: looking it up at once would cost a request in vain.
  const untilMs = clock.now() - pace.parkingMs / 2
  for (let after = firstPlace; ; ) {
    const page = await uploadedCopies(database.read, { dataSetId, sinceMs, untilMs, limit: piecesPerWrite }, after)
    const last = page.at(-1)
    if (!last) break
    const { found, isAnswering } = await lookUp({ turn, copies: page }, signal)
    if (found.length > 0) await parkCopies(deps, found, (tx, contentIds) => settleStores(deps, tx, contentIds))
    if (!isAnswering) return waitFor(clock, 'provider', pace.providerMs, 'the provider does not answer')
    after = last
  }
  if (!(await hasUploaded(database.read, dataSetId, sinceMs))) return done()
  return waitFor(clock, storingReason, pace.parkingMs)
}

interface Lookup {
  readonly turn: Turn
  readonly copies: readonly UploadedCopy[]
}

/** Copies that the provider serves. Stops when as many lookups failed as run at the same time. */
async function lookUp(
  { turn, copies }: Lookup,
  signal: AbortSignal,
): Promise<{ readonly found: readonly number[]; readonly isAnswering: boolean }> {
  const found: number[] = []
  const left = [...copies]
  let failures = 0
  const lookUpNext = async () => {
    for (let copy = left.shift(); copy && failures < lookupsMax; copy = left.shift()) {
      signal.throwIfAborted()
      const answer = await turn.client.findPiece(copy.pieceCid, { signal })
      if (answer.kind !== 'ok') failures += 1
      else if (answer.value.isFound) found.push(copy.copyId)
    }
  }
  await Promise.all(Array.from({ length: lookupsMax }, lookUpNext))
  return { found, isAnswering: failures < Math.min(lookupsMax, copies.length) }
}

/** Completes the store tasks of contents with enough copies; those of the others keep looking for providers. */
async function settleStores({ schedule }: Pick<Pipeline, 'schedule'>, tx: Tx, contentIds: readonly number[]): Promise<void> {
  const complete = await fullyPlanned(tx, contentIds)
  await schedule.endStores(
    tx,
    contentIds.filter((id) => complete.has(id)),
  )
  for (const contentId of contentIds) if (!complete.has(contentId)) await schedule.store(tx, contentId)
}
