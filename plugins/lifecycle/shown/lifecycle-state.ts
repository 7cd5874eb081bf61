import type { Clock, Database } from '#kernel'
import type { LifecycleState } from '#plugins/s3'
import type { ActionCounts } from '../runs/action-counts.ts'
import { findSeenClock, findShownRun } from '../runs/run-store.ts'

interface StateDeps {
  readonly database: Database
  readonly clock: Clock
  readonly actionCounts: Pick<ActionCounts, 'rest'>
}

/** What the rules of the bucket did last, and why none acts now. */
export async function readState({ database, clock, actionCounts }: StateDeps, bucketId: number): Promise<LifecycleState> {
  const run = await findShownRun(database.read, bucketId)
  const { restsUntilMs = 0 } = (await findSeenClock(database.read)) ?? {}
  if (clock.now() < restsUntilMs) return { run, rest: { reason: 'unseen_time', untilMs: restsUntilMs } }
  return { run, rest: actionCounts.rest === 'clock_ahead' ? { reason: 'clock_ahead' } : undefined }
}
