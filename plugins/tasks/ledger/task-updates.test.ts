import { expect, test } from 'vitest'
import { done, type Events, fail } from '#kernel'
import { bind, openTasks, type Script, scriptedKind, type TestTasks } from '#kernel/testing'
import { startLedger } from '../testing/start-ledger.ts'
import { createTaskUpdates, type TaskUpdate, type TaskUpdates, taskUpdated } from './task-updates.ts'

const rejected = () => fail('rejected', 'no', { retryable: true })

/** An engine, a ledger and their updates; `updates` has the published ones. */
async function setUp(tasks: TestTasks, script: Script) {
  const updates: TaskUpdate[] = []
  const events: Events = {
    publish: ({ topic }, payload) => void (topic === taskUpdated.topic && updates.push(payload as unknown as TaskUpdate)),
    isWatched: () => true,
    skip() {},
    subscribe: () => () => {},
  }
  const kind = scriptedKind(script)
  let publisher: TaskUpdates | undefined
  const svc = await startLedger(tasks, { kinds: [bind(kind)] }, (task) => publisher?.add(task))
  publisher = createTaskUpdates({ clock: tasks.clock, events, changes: svc.engine.changes })
  const stop = async () => {
    await svc.stop()
    await publisher[Symbol.asyncDispose]()
  }
  return { ...svc, kind, updates, stop }
}

test('task_updated is published at most once a second, with the latest state of each task', async () => {
  await using tasks = await openTasks()
  const { ledger, enqueue, kind, updates, stop } = await setUp(tasks, ({ args }) => (args.name === 'good' ? done() : rejected()))
  const good = await enqueue(kind, 'good')
  const bad = await enqueue(kind, 'bad')
  await tasks.clock.advance(0)
  await ledger.acknowledge(bad)
  expect(updates).toEqual([])
  await tasks.clock.advance(1000)
  expect(updates).toEqual([
    { task_id: good, type: 'work', status: 'completed', presentation_status: 'completed', subject: { type: 'thing', key: 'good' } },
    { task_id: bad, type: 'work', status: 'failed', presentation_status: 'dismissed', subject: { type: 'thing', key: 'bad' } },
  ])
  await enqueue(kind, 'good')
  await tasks.clock.advance(0)
  await stop()
  expect(updates.length).toBe(3)
})

test('a retried task is published as queued', async () => {
  await using tasks = await openTasks()
  const { ledger, enqueue, kind, updates, stop } = await setUp(tasks, rejected)
  const id = await enqueue(kind)
  await tasks.clock.advance(1000)
  // The last state of the second is that of the retry.
  await ledger.retry(id)
  await stop()
  expect(updates.map(({ task_id, presentation_status }) => [task_id, presentation_status])).toEqual([
    [id, 'failed'],
    [id, 'queued'],
  ])
})

test('a bulk dismissal publishes task_updated only for its tasks', async () => {
  await using tasks = await openTasks()
  const { ledger, enqueue, kind, updates, stop } = await setUp(tasks, rejected)
  const dismissed = [await enqueue(kind, 'a'), await enqueue(kind, 'b')]
  await tasks.clock.advance(2000)
  const { asOfMs } = await ledger.preview()
  await enqueue(kind, 'later')
  await tasks.clock.advance(2000)
  updates.length = 0
  expect(await ledger.acknowledgeAll({ failedBeforeMs: asOfMs })).toBe(2)
  await tasks.clock.advance(1000)
  expect(updates.map(({ presentation_status }) => presentation_status)).toEqual(['dismissed', 'dismissed'])
  expect(new Set(updates.map(({ task_id }) => task_id))).toEqual(new Set(dismissed))
  await stop()
})
