import { type Database, defineTask, type TaskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, waitIfChainUnreachable } from '../pipeline.ts'
import { taskKeys } from '../task-keys.ts'
import { nextCheckAtMs } from './landing-store.ts'

/** Verifies landed batches and data sets on chain until no reorganisation can undo them. One task at a time. */
export const verifyLandingsTask = defineTask({
  kind: 'storage_finality',
  label: 'Verify chain finality',
  args: type({}),
  uses: { pipeline },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'finality' }),
  run: async (run) => {
    const { verifyLandings } = await import('./verify-landings.ts')
    const deps = pipelineOf(run)
    return waitIfChainUnreachable(deps, () => verifyLandings(deps, run.signal))
  },
})

/** Enqueues the task for landings that an earlier version or a failed task left unverified. */
export async function enqueueVerification({ database, queue }: { readonly database: Database; readonly queue: Pick<TaskQueue, 'add'> }) {
  if ((await nextCheckAtMs(database.read)) === undefined) return
  await database.write((tx) => queue.add(tx, verifyLandingsTask, {}, { key: taskKeys.finality }))
}
