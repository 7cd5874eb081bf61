import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, waitIfCacheUnavailable, waitIfChainUnreachable } from '../../pipeline.ts'

/** Adds parked pieces to their data set on chain in batches, and follows every batch to its end. */
export const commitTask = defineTask({
  kind: 'storage_commit',
  label: 'Confirm storage',
  retry: {
    level: 'review',
    text: 'Adds the pieces to their data set on chain, which is paid. A submission whose outcome is unknown is looked up first and not sent again.',
  },
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'provider-mutation',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    const { commitPieces } = await import('./commit-pieces.ts')
    const deps = pipelineOf(run)
    return waitIfChainUnreachable(deps, () => waitIfCacheUnavailable(deps, () => commitPieces(deps, run.args.dataSetId, run.signal)))
  },
})
