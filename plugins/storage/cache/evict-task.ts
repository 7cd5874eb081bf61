import { database, defineTask, done } from '#kernel'
import { type } from '#kernel/schema'
import { cache } from '../services.ts'

/** Removes cached files that could not be removed with the others. Until then the failure stays visible here. */
export const evictTask = defineTask({
  kind: 'cache_evict',
  label: 'Remove local cached copy',
  args: type({ contentId: 'number.integer > 0' }),
  uses: { cache, database },
  attempts: 5,
  subject: ({ contentId }) => ({ type: 'storage_content', key: String(contentId) }),
  run: async ({ args: { contentId }, services, fence }) => {
    const { forgetDeleted } = await import('../catalog/reference-store.ts')
    await services.cache.finishEviction(contentId)
    await fence(services.database).write((tx) => forgetDeleted(tx, contentId))
    return done()
  },
})
