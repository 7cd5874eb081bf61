import { expect, test } from 'vitest'
import { promised, testKernel } from '#kernel/testing'
import { tasksPlugin } from '../plugin.ts'
import { workers } from './workers-api.ts'

test('workers show their health and activity', async () => {
  await using svc = await testKernel({ plugins: [tasksPlugin] })
  expect(promised(workers, await svc.call('GET', '/api/v1/workers'))).toEqual({
    workers: { tasks: true },
    details: { tasks: { healthy: true, last_tick_at: expect.stringMatching(/^\d{4}-.*Z$/), active: 0 } },
  })
})

test('workers are shown to operators only', async () => {
  await using svc = await testKernel({ plugins: [tasksPlugin] })
  expect((await fetch(`${svc.url}/api/v1/workers`)).status).toBe(401)
})
