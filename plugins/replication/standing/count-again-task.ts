import { defineTask, done } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf } from '../pipeline.ts'

export const countAgainTask = defineTask({
  kind: 'storage_standing',
  label: 'Count durable copies',
  args: type({ dataSetId: 'number.integer' }),
  uses: { pipeline },
  subject: ({ dataSetId }) => ({ type: 'data_set', key: String(dataSetId) }),
  run: async (run) => {
    const { countAgain } = await import('./count-again.ts')
    await countAgain(pipelineOf(run), run.args.dataSetId, run.signal)
    return done()
  },
})
