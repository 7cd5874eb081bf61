import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf } from '../../pipeline.ts'

/** Data sets whose uploaded pieces are looked up at the same time. */
export const parkConcurrency = 4

/** Looks up the uploaded pieces of a data set until its provider has stored them. */
export const parkTask = defineTask({
  kind: 'storage_park',
  label: 'Check uploaded content',
  retry: { level: 'review', text: 'Asks the provider again whether it has stored the uploaded bytes. Nothing is paid.' },
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  concurrency: parkConcurrency,
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    const { parkUploaded } = await import('./park-uploaded.ts')
    return parkUploaded(pipelineOf(run), run.args.dataSetId, run.signal)
  },
})
