import { expect, test } from 'vitest'
import { checkTaskKind, createFakeClock } from '#kernel/testing'
import { refreshInventoryTask } from './refresh-inventory-task.ts'

const clock = createFakeClock()
const run = (refresh: () => Promise<void>) =>
  refreshInventoryTask.run({ services: { clock, providers: { refresh } } } as never) as Promise<unknown>

test('I-09: the task may run again', async () => {
  const services = { clock, providers: { refresh: async () => undefined } }
  await checkTaskKind({ kind: refreshInventoryTask, args: {}, services, snapshot: () => undefined })
})

test('I-08: while the chain node does not answer the task waits; other errors fail it', async () => {
  const silent = Object.assign(new Error('no answer'), { code: 'chain_unreachable' })
  expect(await run(() => Promise.reject(silent))).toMatchObject({ kind: 'wait', reason: 'chain', untilMs: clock.now() + 60_000 })
  await expect(run(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full')
})
