import { expect, test } from 'vitest'
import type { Outcome, TaskRun } from '#kernel'
import { silentLog } from '#kernel/testing'
import type { pipeline } from '../../pipeline.ts'
import { openStorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, waitOf } from '../../testing/test-pipeline.ts'
import { storeTask } from './store-task.ts'

test('I-08: while the disk of the cache is not mounted, a store waits and uses no attempt; another error is an attempt', async () => {
  await using rows = await openStorageRows()
  const deps = createTestPipeline(rows)
  await rows.addDataSet()
  const { contentId } = await rows.addContent()
  const fault = Object.assign(new Error('its disk is not mounted'), { code: 'cache_unavailable' })
  const run = storeTask.run as unknown as (run: TaskRun<object, { pipeline: typeof pipeline }>) => Promise<Outcome>
  const store = () =>
    run({
      id: 1,
      args: { contentId },
      services: { pipeline: { ...deps, cached: { ...deps.cached, locate: () => Promise.reject(fault) } } },
      log: silentLog,
      fence: () => rows.database,
      signal: new AbortController().signal,
      progressed: deps.progressed,
    } as never)
  expect(waitOf(await store(), deps.clock)).toMatchObject({ reason: 'cache', forMs: 30_000 })
  fault.code = 'EIO'
  await expect(store()).rejects.toBe(fault)
})
