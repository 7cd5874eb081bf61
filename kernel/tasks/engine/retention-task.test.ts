import { expect, test } from 'vitest'
import { allRows } from '../../testing/sql.ts'
import { done, fail } from '../outcome.ts'
import { insertTaskRow } from '../testing/task-rows.ts'
import { bind, openTasks, scriptedKind, settings, startEngine, type TestTasks, wrongCounters } from '../testing/test-engine.ts'
import { retentionTask } from './retention-task.ts'

const retentionMs = 60_000

const idsOf = async ({ database }: TestTasks) =>
  (await allRows<{ id: number }>(database.read, "select id from tasks where kind = 'work' order by id")).map(({ id }) => id)

const countsOf = ({ database }: TestTasks) =>
  allRows(database.read, "select kind, status, n from task_counts where n > 0 and kind = 'work'")

/** Removes expired records the way the schedule does: through a task of its own. */
async function sweep(tasks: TestTasks, svc: Awaited<ReturnType<typeof startEngine>>) {
  await svc.enqueue(retentionTask({ database: tasks.database, retentionMs }), 'sweep')
  await tasks.clock.advance(0)
}

async function setUp(tasks: TestTasks) {
  const kind = scriptedKind(({ args: { name } }) => (name === 'fail' ? fail('rejected', 'no', { retryable: true }) : done()))
  const svc = await startEngine(tasks, { kinds: [bind(kind)], deps: { settings: { ...settings, retention: retentionMs } } })
  const put = async (name: string, runAtMs = tasks.clock.now()) => {
    const id = await svc.enqueue(kind, name, { runAtMs })
    await tasks.clock.advance(0)
    return id
  }
  return { svc, put }
}

test('a completed task is deleted after the retention period, a pending one never', async () => {
  await using tasks = await openTasks()
  const { svc, put } = await setUp(tasks)
  await put('done')
  const pending = await put('done', tasks.clock.now() + 100 * retentionMs)
  await tasks.clock.advance(1000)
  const young = await put('done')
  await tasks.clock.advance(retentionMs - 500)
  await sweep(tasks, svc)
  expect(await idsOf(tasks)).toEqual([pending, young])
  expect(await wrongCounters(tasks)).toEqual([])
  await svc.stop()
})

test('the retention period of a failure starts at its dismissal', async () => {
  await using tasks = await openTasks()
  const { svc, put } = await setUp(tasks)
  const dismissed = await put('fail')
  const open = await put('fail')
  await tasks.clock.advance(2 * retentionMs)
  await tasks.database.write((tx) => svc.engine.control.acknowledge(tx, dismissed))
  await tasks.clock.advance(retentionMs)
  await sweep(tasks, svc)
  expect(await idsOf(tasks)).toEqual([dismissed, open])
  await tasks.clock.advance(1)
  await sweep(tasks, svc)
  expect(await idsOf(tasks)).toEqual([open])
  expect(await wrongCounters(tasks)).toEqual([])
  await svc.stop()
})

test('a cancelled task is deleted after the retention period', async () => {
  await using tasks = await openTasks()
  const { svc } = await setUp(tasks)
  const atMs = tasks.clock.now()
  await tasks.database.write((tx) => insertTaskRow(tx, { kind: 'work', status: 'cancelled', atMs }))
  await tasks.clock.advance(retentionMs)
  await sweep(tasks, svc)
  expect(await idsOf(tasks)).toHaveLength(1)
  await tasks.clock.advance(1)
  await sweep(tasks, svc)
  expect(await idsOf(tasks)).toEqual([])
  expect(await wrongCounters(tasks)).toEqual([])
  await svc.stop()
})

test('one sweep deletes more records than one page holds', async () => {
  await using tasks = await openTasks()
  const { svc } = await setUp(tasks)
  const kind = scriptedKind(() => done())
  await Promise.all(Array.from({ length: 1200 }, () => svc.enqueue(kind)))
  await expect.poll(() => tasks.clock.advance(10).then(() => countsOf(tasks))).toEqual([{ kind: 'work', status: 'completed', n: 1200 }])
  await tasks.clock.advance(retentionMs + 1)
  await sweep(tasks, svc)
  expect(await idsOf(tasks)).toEqual([])
  expect(await countsOf(tasks)).toEqual([])
  await svc.stop()
})

test('I-06: a sweep that lost its lease deletes nothing', async () => {
  await using tasks = await openTasks()
  const { svc, put } = await setUp(tasks)
  const id = await put('done')
  const sweep = retentionTask({ database: tasks.database, retentionMs }).run as unknown as (run: object) => Promise<unknown>
  const fence = () => ({ write: () => Promise.reject(new Error('lease lost')) })
  const { signal } = new AbortController()
  await expect(sweep({ nowMs: tasks.clock.now() + 10 * retentionMs, signal, fence })).rejects.toThrow('lease lost')
  expect(await idsOf(tasks)).toEqual([id])
  await svc.stop()
})
