/** @walk copies 16: reads the batch again until no reorganisation can revert it */
import { done, type Outcome } from '#kernel'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { checkBatches, checkDataSets, type LandingChecksDeps, readDepths } from './landing-checks.ts'
import { dueBatches, dueDataSets, nextCheckAtMs } from './landing-store.ts'

type VerifyLandingsDeps = LandingChecksDeps & Pick<Pipeline, 'chain'>

/** Nonces read in one round, a few multicalls. The rest is due in the next round, which starts at once. */
const dataSetsPerRound = 100
const batchesPerRound = 200

/** One round of checks of landings that are not final. Waits for the next due check. */
export async function verifyLandings(deps: VerifyLandingsDeps, signal: AbortSignal): Promise<Outcome> {
  const { database, clock } = deps
  if ((await nextCheckAtMs(database.read)) === undefined) return done()
  const depths = await readDepths(deps)
  // Data sets first: a missing creation rolls back its batches too.
  const dataSets = await dueDataSets(database.read, clock.now(), dataSetsPerRound)
  if (dataSets.length > 0) await checkDataSets(deps, dataSets, depths)
  signal.throwIfAborted()
  const batches = await dueBatches(database.read, clock.now(), batchesPerRound)
  if (batches.length > 0) await checkBatches(deps, batches, depths)
  const nextAtMs = await nextCheckAtMs(database.read)
  if (nextAtMs === undefined) return done()
  return waitFor(clock, 'finality', Math.max(0, nextAtMs - clock.now()), 'stored copies are verified on chain until they are final')
}
