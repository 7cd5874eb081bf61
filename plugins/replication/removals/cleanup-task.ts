/** @walk removal 6: runs for one data set */
import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, waitIfChainUnreachable } from '../pipeline.ts'

/** Removes the pieces of deleted contents from a data set. A removal with an unknown outcome is looked up, not sent again. */
export const cleanupTask = defineTask({
  kind: 'storage_cleanup',
  label: 'Remove remote storage copy',
  retry: { level: 'danger', text: 'Removes copies of deleted objects from their provider. This cannot be undone.' },
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'destructive',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    const { removePieces } = await import('./remove-pieces.ts')
    const deps = pipelineOf(run)
    return waitIfChainUnreachable(deps, () => removePieces(deps, { dataSetId: run.args.dataSetId, taskId: run.id }, run.signal))
  },
})
