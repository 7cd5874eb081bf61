import { type } from 'arktype'
import { defineTask } from '#kernel'
import { pipeline, unlessChainIsSilent } from '../pipeline.ts'

/** Removes the pieces of deleted contents from a data set. A removal whose outcome is not known is looked up and not sent again. */
export const cleanupTask = defineTask({
  kind: 'storage_cleanup',
  label: 'Remove remote storage copy',
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'destructive',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async ({ id, args, services, signal }) => {
    const { removePieces } = await import('./remove-pieces.ts')
    return unlessChainIsSilent(services.pipeline, () => removePieces(services.pipeline, { dataSetId: args.dataSetId, taskId: id }, signal))
  },
})
