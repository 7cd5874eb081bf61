/** @walk copies 1: runs for one content */
import { defineTask } from '#kernel'
import { type } from '#kernel/schema'
import { storesAtOnceMax } from '#plugins/providers'
import { pipeline, pipelineOf, waitIfCacheUnavailable, waitIfChainUnreachable } from '../../pipeline.ts'

/** Uploads a content to its first provider. After an upload of uncertain outcome it looks up the piece and does not send it again. */
export const storeTask = defineTask({
  kind: 'storage_store',
  label: 'Store content',
  retry: {
    level: 'review',
    text: 'Sends the bytes to the provider again, unless the provider has them already. Nothing is paid by the upload itself.',
  },
  args: type({ contentId: 'number.integer > 0' }),
  uses: { pipeline },
  concurrency: storesAtOnceMax,
  subject: ({ contentId }) => ({ type: 'storage_content', key: String(contentId) }),
  run: async (run) => {
    const { storeContent } = await import('./store-content.ts')
    const deps = pipelineOf(run)
    return waitIfChainUnreachable(deps, () => waitIfCacheUnavailable(deps, () => storeContent(deps, run.args.contentId, run.signal)))
  },
})
