import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { lookupsAtOnceMax } from '#plugins/providers'
import { pipeline, pipelineOf } from '../../pipeline.ts'

/** Looks up the uploaded pieces of a data set until its provider has stored them. */
export const parkTask = defineTask({
  kind: 'storage_park',
  label: 'Check uploaded content',
  retry: { level: 'review', text: 'Asks the provider again whether it has stored the uploaded bytes. Nothing is paid.' },
  args: type({ dataSetId: 'number.integer > 0' }),
  uses: { pipeline },
  concurrency: lookupsAtOnceMax,
  subject: ({ dataSetId }) => ({ type: 'storage_data_set', key: String(dataSetId) }),
  run: async (run) => {
    const { parkUploaded } = await import('./park-uploaded.ts')
    return parkUploaded(pipelineOf(run), run.args.dataSetId, run.signal)
  },
})
