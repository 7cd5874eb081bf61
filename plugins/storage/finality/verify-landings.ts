import { done, type Outcome } from '#kernel'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { lookAtBatches, lookAtDataSets, readDepths } from './look.ts'
import { dueBatches, dueDataSets, nextLookAtMs } from './look-store.ts'

/** Nonces read in one round: a handful of multicalls. What is due beyond them comes with the next round, at once. */
const dataSetsPerRound = 100
const batchesPerRound = 200

/** One round of looks at everything that landed and is not final. Waits for the next one that is due. */
export async function verifyLandings(doors: Pipeline, signal: AbortSignal): Promise<Outcome> {
  const { database, clock } = doors
  if (nextLookAtMs(database.read) === undefined) return done()
  const depths = await readDepths(doors)
  // Data sets first: with a creation everything in it vanished.
  const dataSets = dueDataSets(database.read, clock.now(), dataSetsPerRound)
  if (dataSets.length > 0) await lookAtDataSets(doors, dataSets, depths)
  signal.throwIfAborted()
  const batches = dueBatches(database.read, clock.now(), batchesPerRound)
  if (batches.length > 0) await lookAtBatches(doors, batches, depths)
  const nextAtMs = nextLookAtMs(database.read)
  if (nextAtMs === undefined) return done()
  return waitFor(clock, 'finality', Math.max(0, nextAtMs - clock.now()), 'stored copies are verified on chain until they are final')
}
