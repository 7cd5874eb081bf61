import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, waitIfChainUnreachable } from '../pipeline.ts'

/** Ends a data set on chain, once, and deletes its rows with those of its bucket. */
export const endDataSetTask = defineTask({
  kind: 'storage_dataset_end',
  label: 'End storage service',
  retry: {
    level: 'danger',
    text: 'Ends a paid storage service on chain. Copies that remain in this data set are lost with it. This cannot be undone.',
  },
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'destructive',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    const { endDataSet } = await import('./end-data-set.ts')
    const deps = pipelineOf(run)
    return waitIfChainUnreachable(deps, () => endDataSet(deps, run.args.dataSetId, run.signal))
  },
})
