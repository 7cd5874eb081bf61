import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, waitIfChainUnreachable } from '../pipeline.ts'

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
