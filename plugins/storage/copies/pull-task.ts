import { type } from 'arktype'
import { defineTask } from '#kernel'
import { pipeline, unlessChainIsSilent } from '../pipeline.ts'

/** Lets a data set's provider fetch the pieces it lacks from providers that have them. */
export const pullTask = defineTask({
  kind: 'storage_pull',
  label: 'Transfer stored content',
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'provider-mutation',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async ({ args, services, signal }) => {
    const { pullPieces } = await import('./pull-pieces.ts')
    return unlessChainIsSilent(services.pipeline, () => pullPieces(services.pipeline, args.dataSetId, signal))
  },
})
