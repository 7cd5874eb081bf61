import { expect, test } from 'vitest'
import { runSql } from '../../testing/sql.ts'
import { done, fail, type Outcome, wait } from '../outcome.ts'
import { createTaskQueue } from '../rows/queue-store.ts'
import {
  bind,
  gate,
  openTasks,
  type Run,
  readTask,
  scriptedKind,
  startEngine,
  type TestTasks,
  wrongCounters,
} from '../testing/test-engine.ts'

const key = 'work:a'
const minuteMs = 60_000

/** An engine whose first runs end as scripted, once `release` is called; later ones succeed. */
async function setUp(tasks: TestTasks, outcomes: readonly ((run: Run) => Outcome)[], isHeld = true) {
  const held = gate()
  if (!isHeld) held.resolve()
  const script = [...outcomes]
  const runs: number[] = []
  const kind = scriptedKind(async (run) => {
    runs.push(run.nowMs)
    await held.promise
    return script.shift()?.(run) ?? done()
  })
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  return {
    ...svc,
    kind,
    runs,
    put: (runAtMs?: number) => svc.enqueue(kind, 'a', runAtMs === undefined ? { key } : { key, runAtMs }),
    release: held.resolve,
  }
}

const throwing = (): never => {
  throw new Error('no answer')
}

test('an enqueue with the key of a pending task makes it due earlier, never later', async () => {
  await using tasks = await openTasks()
  const { put, runs, stop } = await setUp(tasks, [], false)
  const startMs = tasks.clock.now()
  const id = await put(startMs + 10 * minuteMs)
  expect(await put(startMs + minuteMs)).toBe(id)
  expect(await put(startMs + 5 * minuteMs)).toBe(id)
  expect((await readTask(tasks, id)).run_at).toBe(startMs + minuteMs)
  await tasks.clock.advance(minuteMs)
  expect(runs).toEqual([startMs + minuteMs])
  await stop()
})

test('a waiting task is woken by an enqueue', async () => {
  await using tasks = await openTasks()
  const { put, runs, stop } = await setUp(tasks, [({ nowMs }) => wait('funding', nowMs + 10 * minuteMs)], false)
  const id = await put()
  await tasks.clock.advance(minuteMs)
  expect((await readTask(tasks, id)).wait_reason).toBe('funding')
  expect(await put()).toBe(id)
  await tasks.clock.advance(0)
  expect(runs.length).toBe(2)
  expect((await readTask(tasks, id)).status).toBe('completed')
  await stop()
})

test('a waiting task with an earlier failure is woken too', async () => {
  await using tasks = await openTasks()
  const { put, runs, stop } = await setUp(tasks, [throwing, ({ nowMs }) => wait('funding', nowMs + 10 * minuteMs)], false)
  await put()
  await tasks.clock.advance(2500)
  expect(runs.length).toBe(2)
  await put()
  await tasks.clock.advance(0)
  expect(runs.length).toBe(3)
  await stop()
})

test('a task in backoff is not brought forward, and runs after it', async () => {
  await using tasks = await openTasks()
  const { put, runs, stop } = await setUp(tasks, [throwing], false)
  const id = await put()
  await tasks.clock.advance(0)
  const { run_at } = await readTask(tasks, id)
  expect(await put()).toBe(id)
  expect((await readTask(tasks, id)).run_at).toBe(run_at)
  await tasks.clock.advance(2500)
  expect(runs.length).toBe(2)
  await stop()
})

test('any number of enqueues during a run cause one rerun', async () => {
  await using tasks = await openTasks()
  const { put, release, runs, stop } = await setUp(tasks, [])
  const id = await put()
  await tasks.clock.advance(0)
  for (let i = 0; i < 3; i++) expect(await put()).toBe(id)
  release()
  await tasks.clock.advance(0)
  expect(runs.length).toBe(2)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', again_at: null })
  await tasks.clock.advance(minuteMs)
  expect(runs.length).toBe(2)
  await stop()
})

test('an enqueue during a run that fails becomes a new task', async () => {
  await using tasks = await openTasks()
  const { put, release, runs, stop } = await setUp(tasks, [() => fail('rejected', 'no', { retryable: true })])
  const id = await put()
  await tasks.clock.advance(0)
  await put()
  release()
  await tasks.clock.advance(0)
  expect(runs.length).toBe(2)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'failed', error_code: 'rejected' })
  expect(await readTask(tasks, id + 1)).toMatchObject({ status: 'completed', key, attempts: 0 })
  await stop()
})

const laterEnds: readonly [string, (run: Run) => Outcome][] = [
  ['is done', () => done()],
  ['waits for less long', ({ nowMs }) => wait('confirmation', nowMs + minuteMs)],
  ['throws', throwing],
  ['fails', () => fail('rejected', 'no', { retryable: true })],
]

test.each(laterEnds)('an enqueue for later while a run %s is kept: work runs at that time', async (_name, outcome) => {
  await using tasks = await openTasks()
  const { put, release, runs, stop } = await setUp(tasks, [outcome])
  const startMs = tasks.clock.now()
  await put()
  await tasks.clock.advance(0)
  await put(startMs + 60 * minuteMs)
  release()
  await tasks.clock.advance(59 * minuteMs)
  expect(runs.every((at) => at < startMs + 59 * minuteMs)).toBe(true)
  await tasks.clock.advance(minuteMs)
  expect(runs.at(-1)).toBe(startMs + 60 * minuteMs)
  await stop()
})

test('an enqueue for later outlives a stop', async () => {
  await using tasks = await openTasks()
  const startMs = tasks.clock.now()
  const runs: number[] = []
  const kind = scriptedKind(async ({ signal, nowMs }) => {
    runs.push(nowMs)
    if (runs.length === 1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return done()
  })
  const first = await startEngine(tasks, { kinds: [bind(kind)] })
  await first.enqueue(kind, 'a', { key })
  await tasks.clock.advance(0)
  await first.enqueue(kind, 'a', { key, runAtMs: startMs + 60 * minuteMs })
  await first.stop()
  await using _second = await startEngine(tasks, { kinds: [bind(kind)] })
  await tasks.clock.advance(60 * minuteMs)
  expect(runs).toEqual([startMs, startMs, startMs + 60 * minuteMs])
})

test('a key is free once its task has ended', async () => {
  await using tasks = await openTasks()
  const { put, runs, stop } = await setUp(tasks, [], false)
  const id = await put()
  await tasks.clock.advance(0)
  expect(await put()).toBeGreaterThan(id)
  await tasks.clock.advance(0)
  expect(runs.length).toBe(2)
  await stop()
})

test('a task is unended while it is open, or failed and still recorded', async () => {
  await using tasks = await openTasks()
  const kind = scriptedKind(({ args: { name } }) => (name === 'fail' ? fail('rejected', 'no', { retryable: true }) : done()))
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const failed = await svc.enqueue(kind, 'fail')
  const completed = await svc.enqueue(kind, 'done')
  await tasks.clock.advance(0)
  const pending = await svc.enqueue(kind, 'later', { runAtMs: tasks.clock.now() + 1000 })
  const queue = createTaskQueue(tasks.clock, () => {})
  expect([...(await queue.unendedIds(tasks.database.read, [failed, completed, pending, 999]))].sort()).toEqual([failed, pending].sort())
  await svc.stop()
})

test('a key is open while its task is pending or running', async () => {
  await using tasks = await openTasks()
  const { put, stop } = await setUp(tasks, [], false)
  const queue = createTaskQueue(tasks.clock, () => {})
  const isOpen = () => queue.hasOpen(tasks.database.read, key)
  const openKeys = async () => [...(await queue.openKeys(tasks.database.read, ['work:b', key]))]
  expect([await isOpen(), await openKeys()]).toEqual([false, []])
  await put()
  expect([await isOpen(), await openKeys()]).toEqual([true, [key]])
  await tasks.clock.advance(0)
  expect([await isOpen(), await openKeys()]).toEqual([false, []])
  await stop()
})

test('a task that waits for a reason is completed by the task that did its work, and watchers learn of it', async () => {
  await using tasks = await openTasks()
  const { put, runs, stop, kind } = await setUp(tasks, [({ nowMs }) => wait('provider_storing', nowMs + minuteMs)], false)
  const ended: string[] = []
  const queue = createTaskQueue(
    tasks.clock,
    () => {},
    ({ subjectKey, status }) => void ended.push(`${subjectKey} ${status}`),
  )
  const id = await put()
  await tasks.clock.advance(0)
  const end = (reason: string) => tasks.database.write((tx) => queue.endWaits(tx, kind, ['work:b', key], reason))
  await end('funding')
  expect(await readTask(tasks, id)).toMatchObject({ status: 'pending', wait_reason: 'provider_storing' })
  await tasks.database.write((tx) => runSql(tx, "update tasks set error_code = 'old', last_error = 'of an earlier attempt'"))
  await end('provider_storing')
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', wait_reason: null, error_code: null, last_error: null })
  expect(ended).toEqual(['a completed'])
  await tasks.clock.advance(2 * minuteMs)
  expect(runs.length).toBe(1)
  expect(await wrongCounters(tasks)).toEqual([])
  await stop()
})

test('a wait whose rerun was requested, or that is due, is not ended', async () => {
  await using tasks = await openTasks()
  const { put, runs, stop, kind } = await setUp(tasks, [({ nowMs }) => wait('provider_storing', nowMs + minuteMs)], false)
  const queue = createTaskQueue(tasks.clock, () => {})
  const id = await put()
  await tasks.clock.advance(0)
  // The request and the end are in one transaction: the engine does not run in between.
  await tasks.database.write(async (tx) => {
    await queue.add(tx, kind, { name: 'a' }, { key })
    await queue.endWaits(tx, kind, [key], 'provider_storing')
  })
  expect((await readTask(tasks, id)).status).toBe('pending')
  expect(await put()).toBe(id)
  await tasks.clock.advance(0)
  expect(runs.length).toBe(2)
  await stop()
})
