import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { pipeline, pipelineOf, unlessChainIsSilent } from '../pipeline.ts'

/** Contents that are brought to providers at the same time. */
export const storesAtOnce = 8

/** Brings a content's bytes to its first provider. When an upload's end is uncertain it asks for the piece and sends nothing again. */
export const storeTask = defineTask({
  kind: 'storage_store',
  label: 'Store content',
  args: type({ contentId: 'number.integer > 0' }),
  uses: { pipeline },
  concurrency: storesAtOnce,
  subject: ({ contentId }) => ({ type: 'storage_content', key: String(contentId) }),
  run: async (run) => {
    const { storeContent } = await import('./store-content.ts')
    const doors = pipelineOf(run)
    return unlessChainIsSilent(doors, () => storeContent(doors, run.args.contentId, run.signal))
  },
})
