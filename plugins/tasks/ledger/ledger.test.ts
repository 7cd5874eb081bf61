import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { done, fail, wait } from '#kernel'
import {
  bind,
  openTasks,
  readTask,
  type Script,
  scriptedKind,
  startEngine,
  type TestTasks,
  workerSettings,
  wrongCounters,
} from '#kernel/testing'
import { startLedger } from '../testing/start-ledger.ts'
import type { TaskLedger } from './ledger.ts'

/** Ends the way the task's name begins. */
const named: Script = ({ args: { name }, nowMs }) => {
  if (name.startsWith('fail permanently')) return fail('rejected', 'no', { retryable: false })
  if (name.startsWith('fail')) return fail('rejected', 'no', { retryable: true })
  if (name.startsWith('wait')) return wait('funding', nowMs + 3_600_000)
  return done()
}

async function setUp(tasks: TestTasks) {
  const kinds = {
    work: scriptedKind(named),
    other: scriptedKind(named, { kind: 'other', label: 'Do other work' }),
    routine: scriptedKind(named, { kind: 'routine', isRecurring: true }),
    stubborn: scriptedKind(named, { kind: 'stubborn', retry: false }),
  }
  const svc = await startLedger(tasks, { kinds: Object.values(kinds).map((kind) => bind(kind)) })
  const put = async (name: string, kind: keyof typeof kinds = 'work', key?: string) => {
    const id = await svc.enqueue(kinds[kind], name, key === undefined ? {} : { key })
    await tasks.clock.advance(0)
    return id
  }
  return { ...svc, kinds, put }
}

const idsOf = async (ledger: TaskLedger, request: Partial<Parameters<TaskLedger['list']>[0]> = {}) =>
  (await ledger.list({ limit: 100, ...request })).map(({ id }) => id)

const code = (expected: string) => expect.objectContaining({ code: expected })

test('only a failed task can be dismissed, and only once', async () => {
  await using tasks = await openTasks()
  const { ledger, put, stop } = await setUp(tasks)
  const failed = await put('fail')
  const completed = await put('done')
  await ledger.acknowledge(failed)
  expect((await ledger.list({ limit: 2 }))[1]).toMatchObject({
    id: failed,
    status: 'failed',
    presentationStatus: 'dismissed',
    acknowledgeable: false,
  })
  await expect(ledger.acknowledge(failed)).rejects.toEqual(code('task_not_acknowledgeable'))
  await expect(ledger.acknowledge(completed)).rejects.toEqual(code('not_found'))
  await expect(ledger.acknowledge(999)).rejects.toEqual(code('not_found'))
  await stop()
})

test('a retry makes a failed task pending with all its attempts and clears a dismissal', async () => {
  await using tasks = await openTasks()
  const { ledger, put, stop } = await setUp(tasks)
  const id = await put('fail')
  await ledger.acknowledge(id)
  await stop()
  await ledger.retry(id)
  expect(await readTask(tasks, id)).toMatchObject({
    status: 'pending',
    attempts: 0,
    acknowledged_at: null,
    failed_at: null,
    run_at: tasks.clock.now(),
  })
  await using _again = await startEngine(tasks, { kinds: [bind(scriptedKind(() => done()))] })
  await tasks.clock.advance(0)
  expect((await readTask(tasks, id)).status).toBe('completed')
})

test('a task that cannot be retried is refused with the reason', async () => {
  await using tasks = await openTasks()
  const { ledger, put, stop } = await setUp(tasks)
  await expect(ledger.retry(999)).rejects.toEqual(code('not_found'))
  await expect(ledger.retry(await put('done'))).rejects.toEqual(code('not_found'))
  await expect(ledger.retry(await put('fail permanently'))).rejects.toEqual(code('task_retry_unsupported'))
  await expect(ledger.retry(await put('fail', 'stubborn'))).rejects.toEqual(code('task_retry_unsupported'))
  const overtaken = await put('fail', 'work', 'a')
  await put('wait', 'work', 'a')
  await expect(ledger.retry(overtaken)).rejects.toThrow('newer task')
  expect((await readTask(tasks, overtaken)).status).toBe('failed')
  await stop()
})

test('a bulk dismissal can be limited to one kind or to failures before a time', async () => {
  await using tasks = await openTasks()
  const { ledger, put, stop } = await setUp(tasks)
  const first = await put('fail')
  const otherKind = await put('fail', 'other')
  await tasks.clock.advance(1000)
  const later = await put('fail')
  const atMs = (await readTask(tasks, later)).failed_at ?? 0
  await expect(ledger.acknowledgeAll({ kind: 'nothing' })).rejects.toEqual(code('unknown_task_type'))
  expect(await ledger.acknowledgeAll({ kind: 'work', failedBeforeMs: atMs })).toBe(1)
  expect(await idsOf(ledger, { status: 'dismissed' })).toEqual([first])
  expect(await ledger.acknowledgeAll({ failedBeforeMs: atMs + 1 })).toBe(2)
  expect(await idsOf(ledger, { status: 'dismissed' })).toEqual([later, otherKind, first])
  expect(await ledger.acknowledgeAll({})).toBe(0)
  expect(await wrongCounters(tasks)).toEqual([])
  await stop()
})

test('without a time every failure so far is dismissed, also those of the current millisecond', async () => {
  await using tasks = await openTasks()
  const { ledger, put, stop } = await setUp(tasks)
  for (let i = 0; i < 5; i++) await put('fail')
  expect(await ledger.acknowledgeAll({})).toBe(5)
  await stop()
})

test('a failure after a preview stays, also when the clock steps or the counted failures change', async () => {
  await using tasks = await openTasks()
  const { ledger, put, stop } = await setUp(tasks)
  const counted = await put('fail')
  const { count, asOfMs } = await ledger.preview()
  expect(count).toBe(1)
  await ledger.acknowledge(counted)
  const sameMs = await put('fail')
  const now = tasks.clock.now
  tasks.clock.now = () => now() - 60_000
  const clockSetBack = await put('fail')
  expect(await ledger.acknowledgeAll({ failedBeforeMs: asOfMs })).toBe(0)
  expect(await idsOf(ledger, { status: 'failed' })).toEqual([clockSetBack, sameMs])
  await stop()
})

test('the time of a preview dismisses exactly the counted failures while eight writers add more', async () => {
  await using tasks = await openTasks()
  const kind = scriptedKind(() => fail('rejected', 'no', { retryable: true }))
  await using svc = await startLedger(tasks, { kinds: [bind(kind)], deps: { settings: { ...workerSettings, concurrency: 8 } } })
  const { ledger } = svc
  const putByEach = 100
  const failing = async () => {
    for (let put = 0; put < putByEach; put++) await svc.enqueue(kind)
  }
  const writers = Promise.all(Array.from({ length: 8 }, failing))
  let total = 0
  // Rounds in which failures came between the preview and its use.
  let roundsUnderLoad = 0
  const failures = async () => (await ledger.counts()).find(({ status }) => status === 'failed')?.count ?? 0
  const isDrained = async () => (await failures()) + total === 8 * putByEach
  for (let round = 0; !(await isDrained()) && round < 1000; round++) {
    // Some rounds in one millisecond, some across several.
    if (round % 10 === 9) await tasks.clock.advance(1)
    await nextTurn()
    const { count, asOfMs } = await ledger.preview()
    for (let turn = 0; turn < round % 4; turn++) await nextTurn()
    expect(await ledger.acknowledgeAll({ failedBeforeMs: asOfMs })).toBe(count)
    total += count
    roundsUnderLoad += (await failures()) > 0 ? 1 : 0
  }
  await writers
  expect(await isDrained()).toBe(true)
  expect(roundsUnderLoad).toBeGreaterThan(3)
  expect(await wrongCounters(tasks)).toEqual([])
})

test('pages neither skip nor repeat tasks while tasks are added', async () => {
  await using tasks = await openTasks()
  const { ledger, put, stop } = await setUp(tasks)
  const ids: number[] = []
  for (let i = 0; i < 25; i++) ids.unshift(await put('wait'))
  const seen: number[] = []
  let before: number | undefined
  do {
    const page = await ledger.list({ limit: 10, ...(before === undefined ? {} : { before }) })
    seen.push(...page.map(({ id }) => id))
    before = page.at(-1)?.id
    await put('wait')
  } while (before !== undefined)
  expect(seen).toEqual(ids)
  await stop()
})

test('recurring kinds are listed and counted only when failed', async () => {
  await using tasks = await openTasks()
  const { ledger, put, stop } = await setUp(tasks)
  const healthy = await put('wait', 'routine')
  const broken = await put('fail', 'routine')
  const other = await put('done', 'other')
  expect(await idsOf(ledger)).toEqual([other, broken])
  expect(await idsOf(ledger, { kind: 'routine', status: 'pending' })).not.toContain(healthy)
  expect(await ledger.counts()).toEqual([
    { kind: 'other', label: 'Do other work', status: 'completed', count: 1 },
    { kind: 'routine', label: 'Do work', status: 'failed', count: 1 },
  ])
  await ledger.acknowledge(broken)
  expect(await ledger.counts()).toContainEqual({ kind: 'routine', label: 'Do work', status: 'dismissed', count: 1 })
  await stop()
})
