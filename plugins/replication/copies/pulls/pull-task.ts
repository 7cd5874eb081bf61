import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, waitIfChainUnreachable } from '../../pipeline.ts'

/** Lets a data set's provider pull missing pieces from providers that have them. */
export const pullTask = defineTask({
  kind: 'storage_pull',
  label: 'Transfer stored content',
  retry: { level: 'review', text: 'Asks the provider again to fetch the bytes from a provider that has them.' },
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  lane: 'provider-mutation',
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    const { pullPieces } = await import('./pull-pieces.ts')
    const deps = pipelineOf(run)
    return waitIfChainUnreachable(deps, () => pullPieces(deps, run.args.dataSetId, run.signal))
  },
})
