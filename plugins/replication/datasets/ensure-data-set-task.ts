import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, waitIfChainUnreachable } from '../pipeline.ts'

/** Creates a planned data set on chain, once, and follows it until it takes pieces. */
export const ensureDataSetTask = defineTask({
  kind: 'storage_dataset_ensure',
  label: 'Prepare storage',
  retry: {
    level: 'review',
    text: 'Creates a data set on chain, which is paid. A creation whose outcome is unknown is looked up first and not sent again.',
  },
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'provider-mutation',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    // Loaded on the first run: the chain libraries are heavy, and commands that only list tasks do not need them.
    const { ensureDataSet } = await import('./ensure-data-set.ts')
    const deps = pipelineOf(run)
    return waitIfChainUnreachable(deps, () => ensureDataSet(deps, run.args.dataSetId, run.signal))
  },
})
