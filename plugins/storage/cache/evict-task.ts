import { type } from 'arktype'
import { database, defineTask, done } from '#kernel'
import { cache } from '../services.ts'

/** Retries the removal of a cached file after a failed attempt. Operators see the error on this task. */
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
