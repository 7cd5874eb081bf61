import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, unlessChainIsSilent } from '../pipeline.ts'

/** Creates a planned data set on chain, once, and follows it until it takes pieces. */
export const ensureDataSetTask = defineTask({
  kind: 'storage_dataset_ensure',
  label: 'Prepare storage',
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'provider-mutation',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    // Loaded when it runs: the chain libraries are heavy, and a command that only lists tasks does not need them.
    const { ensureDataSet } = await import('./ensure-data-set.ts')
    const doors = pipelineOf(run)
    return unlessChainIsSilent(doors, () => ensureDataSet(doors, run.args.dataSetId, run.signal))
  },
})
