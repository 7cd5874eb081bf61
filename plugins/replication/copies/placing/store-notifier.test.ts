import { expect, test } from 'vitest'
import type { Database, Outcome } from '#kernel'
import { LeaseLost } from '#kernel/testing'
import { openStorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline } from '../../testing/test-pipeline.ts'
import { storeTask } from './store-task.ts'

test('I-06: a store task that waits for a provider slot is notified after its run has ended', async () => {
  await using rows = await openStorageRows()
  const deps = createTestPipeline(rows)
  const { serviceUrl } = await rows.addDataSet()
  const { contentId } = await rows.addContent()
  const [held] = Array.from({ length: 4 }, () => deps.providers.turns.take(serviceUrl, 'store'))
  let hasEnded = false
  const fence = (database: Database): Database => ({
    ...database,
    write: (job) => (hasEnded ? Promise.reject(new LeaseLost({ id: 1, kind: 'storage_store', seq: 1 })) : database.write(job)),
  })
  const run = storeTask.run as unknown as (run: object) => Promise<Outcome>
  const { signal } = new AbortController()
  const outcome = await run({ id: 1, args: { contentId }, services: { pipeline: deps }, signal, fence, progressed() {} })
  hasEnded = true
  expect(outcome).toMatchObject({ kind: 'wait', reason: 'provider_busy' })
  expect(deps.scheduled).toEqual([])
  held?.[Symbol.dispose]()
  await rows.database.write(() => undefined)
  expect(deps.scheduled).toEqual([`store ${contentId}`])
})
