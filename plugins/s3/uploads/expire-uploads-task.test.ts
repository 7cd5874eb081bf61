import { expect, test } from 'vitest'
import { createFakeClock } from '#kernel/testing'
import { openObjectStorage } from '../../storage/testing/object-storage.ts'
import { stageUploads } from '../../storage/testing/staged-uploads.ts'
import { expireUploadsSchedule, expireUploadsTask } from './expire-uploads-task.ts'

const dayMs = 86_400_000
const { signal } = new AbortController()

test('multipart_expiry: uploads without a new part for the configured days are aborted, once an hour', async () => {
  const clock = createFakeClock()
  await using storage = await openObjectStorage({ clock })
  const { uploads, cache } = storage
  const staged = stageUploads(uploads)
  await staged.put(await staged.create('idle'), 1, 'idle bytes')
  const run = () =>
    expireUploadsTask.run({
      args: {},
      services: { uploads, settings: { multipart_expiry_days: 3 } },
      signal,
      nowMs: clock.now(),
    } as unknown as Parameters<typeof expireUploadsTask.run>[0])
  await clock.advance(3 * dayMs)
  expect(await run()).toEqual({ kind: 'done' })
  expect(cache.stats().usedBytes).toBe(10)
  await clock.advance(1)
  await run()
  expect(cache.stats().usedBytes).toBe(0)
  expect(expireUploadsSchedule).toMatchObject({ cron: '7 * * * *', kind: { kind: 's3_uploads_expire', isRecurring: true } })
})
