import { expect, test } from 'vitest'
import { type Database, LeaseLost, type Outcome } from '#kernel'
import { openStorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline } from '../testing/test-pipeline.ts'
import { storeTask } from './store-task.ts'

test('I-06: a store that waits for a turn is woken after its run has ended', async () => {
  await using rows = await openStorageRows()
  const doors = createTestPipeline(rows)
  const { serviceUrl } = await rows.addDataSet()
  const { contentId } = await rows.addContent()
  const [held] = Array.from({ length: 4 }, () => doors.providers.turns.take(serviceUrl, 'store'))
  let hasEnded = false
  const fence = (database: Database): Database => ({
    ...database,
    write: (job) => (hasEnded ? Promise.reject(new LeaseLost({ id: 1, kind: 'storage_store', seq: 1 })) : database.write(job)),
  })
  const run = storeTask.run as unknown as (run: object) => Promise<Outcome>
  const { signal } = new AbortController()
  const outcome = await run({ id: 1, args: { contentId }, services: { pipeline: doors }, signal, fence, progressed() {} })
  hasEnded = true
  expect(outcome).toMatchObject({ kind: 'wait', reason: 'provider_busy' })
  expect(doors.scheduled).toEqual([])
  held?.[Symbol.dispose]()
  await rows.database.write(() => undefined)
  expect(doors.scheduled).toEqual([`store ${contentId}`])
})
