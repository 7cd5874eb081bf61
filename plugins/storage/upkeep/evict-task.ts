import { database, defineTask, done } from '#kernel'
import { type } from '#kernel/schema'
import { contents } from '../contract.ts'
import { cache } from '../services.ts'

/** Retries the removal of a cached file after a failed attempt. Operators see the error on this task. */
export const evictTask = defineTask({
  kind: 'cache_evict',
  label: 'Remove local cached copy',
  retry: { level: 'review', text: 'Removes the cached bytes of an object. Its copies at providers stay.' },
  args: type({ contentId: 'number.integer > 0' }),
  uses: { cache, contents, database },
  attempts: 5,
  subject: ({ contentId }) => ({ type: 'storage_content', key: String(contentId) }),
  run: async ({ args: { contentId }, services, fence }) => {
    await services.cache.finishEviction(contentId)
    await fence(services.database).write((tx) => services.contents.forgetIfReleased(tx, contentId))
    return done()
  },
})
