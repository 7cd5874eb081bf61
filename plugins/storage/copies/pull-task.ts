import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, unlessChainIsSilent } from '../pipeline.ts'

/** Lets a data set's provider fetch the pieces it lacks from providers that have them. */
export const pullTask = defineTask({
  kind: 'storage_pull',
  label: 'Transfer stored content',
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'provider-mutation',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    const { pullPieces } = await import('./pull-pieces.ts')
    const doors = pipelineOf(run)
    return unlessChainIsSilent(doors, () => pullPieces(doors, run.args.dataSetId, run.signal))
  },
})
