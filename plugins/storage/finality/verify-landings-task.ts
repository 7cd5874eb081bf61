import { database, defineRecovery, defineTask, taskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, unlessChainIsSilent } from '../pipeline.ts'
import { taskKeys } from '../task-keys.ts'
import { nextLookAtMs } from './look-store.ts'

/** Verifies landed batches and data sets on chain until no reorganisation can take them back. There is one at a time. */
export const verifyLandingsTask = defineTask({
  kind: 'storage_finality',
  label: 'Verify chain finality',
  args: type({}),
  uses: { pipeline },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'finality' }),
  run: async (run) => {
    const { verifyLandings } = await import('./verify-landings.ts')
    const doors = pipelineOf(run)
    return unlessChainIsSilent(doors, () => verifyLandings(doors, run.signal))
  },
})

/** What an earlier version left unverified, or a task that failed. */
export const verifyLandingsRecovery = defineRecovery({
  name: 'storage.finality',
  uses: { database, taskQueue },
  async run({ database, taskQueue }) {
    if (nextLookAtMs(database.read) === undefined) return
    await database.write((tx) => taskQueue.enqueue(tx, verifyLandingsTask, {}, { key: taskKeys.finality }))
  },
})
