import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { kernelErrors } from '../../errors.ts'
import { type LogFields, silentLog } from '../../log/log.ts'
import { done, fail, wait } from '../outcome.ts'
import { endRun } from '../rows/ending-store.ts'
import { claimTasks } from '../rows/lease-store.ts'
import {
  bind,
  finished,
  gate,
  leaseMs,
  openTasks,
  pollMs,
  type Run,
  readTask,
  type Script,
  scriptedKind,
  settings,
  startEngine,
  type TestTasks,
} from '../testing/test-engine.ts'

/** An engine with one kind whose runs are recorded. */
async function setUp(tasks: TestTasks, script: Script, spec: Parameters<typeof scriptedKind>[1] = {}) {
  const runs: Run[] = []
  const kind = scriptedKind((run) => {
    runs.push(run)
    return script(run)
  }, spec)
  return { runs, kind, ...(await startEngine(tasks, { kinds: [bind(kind)] })) }
}

const settle = ({ clock }: TestTasks) => clock.advance(0)

test('an enqueued task starts at once, without waiting for a poll', async () => {
  await using tasks = await openTasks()
  const { enqueue, kind, runs, stop } = await setUp(tasks, finished)
  const id = await enqueue(kind, 'photos')
  await settle(tasks)
  expect(runs).toMatchObject([{ id, args: { name: 'photos' }, attempts: 0, nowMs: tasks.clock.now() }])
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', attempts: 0, lease_owner: null })
  await stop()
})

test('a task planned for later starts at its time, between two polls', async () => {
  await using tasks = await openTasks()
  const { enqueue, kind, runs, stop } = await setUp(tasks, finished)
  await enqueue(kind, 'a', { runAtMs: tasks.clock.now() + 1200 })
  await tasks.clock.advance(1199)
  expect(runs).toEqual([])
  await tasks.clock.advance(1)
  expect(runs.length).toBe(1)
  await stop()
})

test('a rolled back transaction leaves no task', async () => {
  await using tasks = await openTasks()
  const { engine, kind, runs, stop } = await setUp(tasks, finished)
  const write = tasks.database.write(async (tx) => {
    await engine.queue.add(tx, kind, { name: 'a' })
    throw new Error('changed my mind')
  })
  await expect(write).rejects.toThrow('changed my mind')
  await tasks.clock.advance(pollMs)
  expect(runs).toEqual([])
  await stop()
})

test('concurrent runs are limited by the engine and by the kind', async () => {
  await using tasks = await openTasks()
  const open = gate()
  const active = { narrow: 0, wide: 0 }
  const most = { narrow: 0, wide: 0, all: 0 }
  const counted = (name: 'narrow' | 'wide'): Script => {
    return async () => {
      active[name]++
      most[name] = Math.max(most[name], active[name])
      most.all = Math.max(most.all, active.narrow + active.wide)
      await open.promise
      active[name]--
      return done()
    }
  }
  const narrow = scriptedKind(counted('narrow'), { kind: 'narrow', concurrency: 2 })
  const wide = scriptedKind(counted('wide'), { kind: 'wide' })
  await using svc = await startEngine(tasks, {
    kinds: [bind(narrow), bind(wide)],
    deps: { settings: { ...settings, concurrency: 5 } },
  })
  const ids = []
  for (let i = 0; i < 8; i++) ids.push(await svc.enqueue(narrow), await svc.enqueue(wide))
  await tasks.clock.advance(pollMs)
  expect(active).toEqual({ narrow: 2, wide: 3 })
  open.resolve()
  await tasks.clock.advance(pollMs)
  expect(most).toMatchObject({ narrow: 2, all: 5 })
  expect(new Set(await Promise.all(ids.map(async (id) => (await readTask(tasks, id)).status)))).toEqual(new Set(['completed']))
})

test('I-14: a task of an unknown kind stays pending and unchanged', async () => {
  await using tasks = await openTasks()
  const { enqueue, stop } = await setUp(tasks, finished)
  const id = await enqueue(scriptedKind(finished, { kind: 'unknown_kind' }))
  const before = await readTask(tasks, id)
  await tasks.clock.advance(3 * leaseMs)
  expect(await readTask(tasks, id)).toEqual(before)
  expect(before).toMatchObject({ status: 'pending', lease_seq: 0 })
  await stop()
})

test('invalid arguments fail the task permanently, without a run', async () => {
  await using tasks = await openTasks()
  const { enqueue, kind, runs, stop } = await setUp(tasks, finished)
  const id = await enqueue(kind, 7 as unknown as string)
  await settle(tasks)
  expect(runs).toEqual([])
  expect(await readTask(tasks, id)).toMatchObject({
    status: 'failed',
    is_retryable: 0,
    last_error: expect.stringContaining('name must be a string'),
  })
  await stop()
})

test.each([
  ['disk full', kernelErrors.database_full()],
  ['server unreachable', kernelErrors.database_unreachable()],
  ['server busy', kernelErrors.database_busy()],
])('I-08: a run that finds the database %s waits without using attempts, and continues when there is space', async (_name, cause) => {
  await using tasks = await openTasks()
  let isFull = true
  const { enqueue, kind, runs, stop } = await setUp(tasks, () => {
    if (isFull) throw new Error('the copy could not be recorded', { cause })
    return done()
  })
  const id = await enqueue(kind)
  await settle(tasks)
  for (let run = 1; run < 20; run++) {
    expect(await readTask(tasks, id)).toMatchObject({ status: 'pending', attempts: 0, wait_reason: 'database', last_error: null })
    await tasks.clock.advance(15_000)
  }
  isFull = false
  await tasks.clock.advance(15_000)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', attempts: 0 })
  expect(runs.length).toBe(21)
  await stop()
})

test('a run that throws is retried with backoff, and the task fails permanently when its attempts are used up', async () => {
  await using tasks = await openTasks()
  const { enqueue, kind, runs, stop } = await setUp(tasks, () => {
    throw Object.assign(new Error('no answer', { cause: new Error('refused') }), { code: 'provider_down' })
  })
  const id = await enqueue(kind)
  await settle(tasks)
  // Full jitter at 0.5: half of 5 s, then half of 10 s.
  expect(await readTask(tasks, id)).toMatchObject({
    status: 'pending',
    attempts: 1,
    error_code: 'provider_down',
    last_error: 'no answer <- refused',
    run_at: tasks.clock.now() + 2500,
  })
  await tasks.clock.advance(2500)
  expect(await readTask(tasks, id)).toMatchObject({ attempts: 2, run_at: tasks.clock.now() + 5000 })
  await tasks.clock.advance(5000)
  expect(await readTask(tasks, id)).toMatchObject({
    status: 'failed',
    attempts: 3,
    error_code: 'attempts_exhausted',
    last_error: 'no answer <- refused',
  })
  expect(runs.map(({ attempts }) => attempts)).toEqual([0, 1, 2])
  await stop()
})

test('a run that returns fail is not retried', async () => {
  await using tasks = await openTasks()
  const { enqueue, kind, runs, stop } = await setUp(tasks, () => fail('rejected', 'the provider rejected it', { retryable: false }))
  const id = await enqueue(kind)
  await tasks.clock.advance(leaseMs)
  expect(runs.length).toBe(1)
  expect(await readTask(tasks, id)).toMatchObject({
    status: 'failed',
    error_code: 'rejected',
    last_error: 'the provider rejected it',
    is_retryable: 0,
  })
  await stop()
})

test('I-08: waiting uses no attempt, sets no error and clears no history', async () => {
  await using tasks = await openTasks()
  const steps: Script[] = [
    () => {
      throw new Error('no answer')
    },
    ({ nowMs }) => wait('funding', nowMs + 30_000, 'the deposit is too small'),
    ({ nowMs }) => wait('funding', nowMs + 30_000),
    finished,
  ]
  const { enqueue, kind, runs, stop } = await setUp(tasks, (run) => (steps.shift() ?? finished)(run))
  const id = await enqueue(kind)
  await tasks.clock.advance(2500)
  const waiting = { status: 'pending', attempts: 1, wait_reason: 'funding', last_error: 'no answer' }
  expect(await readTask(tasks, id)).toMatchObject({ ...waiting, message: 'the deposit is too small', run_at: tasks.clock.now() + 30_000 })
  await tasks.clock.advance(30_000)
  expect(await readTask(tasks, id)).toMatchObject({ ...waiting, message: null })
  await tasks.clock.advance(30_000)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', wait_reason: null })
  expect(runs.map(({ attempts }) => attempts)).toEqual([0, 1, 1, 1])
  await stop()
})

test('a task that has only waited has no attempts and no error', async () => {
  await using tasks = await openTasks()
  const { enqueue, kind, stop } = await setUp(tasks, ({ nowMs }) => wait('confirmation', nowMs + 1000))
  const id = await enqueue(kind)
  await tasks.clock.advance(10_000)
  expect(await readTask(tasks, id)).toMatchObject({ attempts: 0, error_code: null, last_error: null })
  await stop()
})

test('two engines on one database never run the same claim twice', async () => {
  await using tasks = await openTasks()
  const ran = new Map<number, number>()
  const kind = scriptedKind(async ({ id }) => {
    ran.set(id, (ran.get(id) ?? 0) + 1)
    await nextTurn()
    return done()
  })
  await using first = await startEngine(tasks, { kinds: [bind(kind)] })
  await using second = await startEngine(tasks, { kinds: [bind(kind)] })
  const ids = await Promise.all(Array.from({ length: 200 }, (_, i) => (i % 2 ? first : second).enqueue(kind)))
  for (let i = 0; i < 20 && ran.size < ids.length; i++) await tasks.clock.advance(pollMs)
  expect([...ran.values()].every((runs) => runs === 1)).toBe(true)
  expect(ran.size).toBe(200)
})

/** Claims a task the way a process does that dies right after. */
async function claimAndDie({ database, clock }: TestTasks, kind: string, lease = leaseMs) {
  const nowMs = clock.now()
  const [task] = await database.write((tx) =>
    claimTasks(tx, { free: new Map([[kind, 1]]), total: 1, owner: 'gone', nowMs, lease: { nowMs, untilMs: nowMs + lease } }),
  )
  if (task === undefined) throw new Error('nothing to claim')
  return { id: task.id, kind, seq: task.leaseSeq }
}

test('a task of a killed process runs again as soon as its lease ends, attempts unchanged', async () => {
  await using tasks = await openTasks()
  const runs: Run[] = []
  const kind = scriptedKind((run) => {
    runs.push(run)
    return done()
  })
  const stopped = await startEngine(tasks, {})
  const id = await stopped.enqueue(kind)
  await stopped.stop()
  await claimAndDie(tasks, 'work')
  await using _svc = await startEngine(tasks, { kinds: [bind(kind)] })
  await tasks.clock.advance(leaseMs - 1)
  expect(runs).toEqual([])
  await tasks.clock.advance(2)
  expect(runs).toMatchObject([{ id, attempts: 0 }])
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', lease_seq: 2 })
})

test('I-06: the end of a run whose lease was lost changes nothing', async () => {
  await using tasks = await openTasks()
  const held = gate()
  const kind = scriptedKind(async () => {
    await held.promise
    return done()
  })
  const stopped = await startEngine(tasks, {})
  const id = await stopped.enqueue(kind)
  await stopped.stop()
  const lease = await claimAndDie(tasks, 'work')
  await using _svc = await startEngine(tasks, { kinds: [bind(kind)] })
  await tasks.clock.advance(leaseMs + 1)
  const before = await readTask(tasks, id)
  expect(before).toMatchObject({ status: 'running', lease_seq: 2 })
  expect(await tasks.database.write((tx) => endRun(tx, lease, { kind: 'done' }, tasks.clock.now()))).toBeUndefined()
  expect(await readTask(tasks, id)).toEqual(before)
  held.resolve()
  await settle(tasks)
  expect((await readTask(tasks, id)).status).toBe('completed')
})

test('recoveries run once, before the first task, and a failing one is named', async () => {
  await using tasks = await openTasks()
  const steps: string[] = []
  const recovery = (name: string) => bind({ name, uses: {}, run: async () => void steps.push(name) })
  const kind = scriptedKind(() => {
    steps.push('task')
    return done()
  })
  const stopped = await startEngine(tasks, {})
  await stopped.enqueue(kind)
  await stopped.stop()
  await using _svc = await startEngine(tasks, { kinds: [bind(kind)], recoveries: [recovery('first'), recovery('second')] })
  await settle(tasks)
  expect(steps).toEqual(['first', 'second', 'task'])
  const broken = bind({ name: 'sweep', uses: {}, run: () => Promise.reject(new Error('disk gone')) })
  await expect(startEngine(tasks, { recoveries: [broken] })).rejects.toThrow("the recovery 'sweep' of plugin 'test' failed")
})

test('two plugins cannot define the same kind', async () => {
  await using tasks = await openTasks()
  const kind = scriptedKind(finished)
  await expect(startEngine(tasks, { kinds: [bind(kind), bind(kind)] })).rejects.toThrow("two plugins define the task kind 'work'")
})

test('the engine is healthy while it polls or runs tasks, and unhealthy when polls stop', async () => {
  await using tasks = await openTasks()
  const held = gate()
  const { engine, enqueue, kind, stop } = await setUp(tasks, async () => {
    await held.promise
    return done()
  })
  await tasks.clock.advance(10 * pollMs)
  expect(engine.isHealthy()).toBe(true)
  expect(engine.activity()).toEqual({ active: 0, lastPollAtMs: tasks.clock.now() })
  await enqueue(kind)
  await tasks.clock.advance(10 * pollMs)
  expect(engine.isHealthy()).toBe(true)
  expect(engine.activity().active).toBe(1)
  held.resolve()
  await stop()
  await tasks.clock.advance(10 * pollMs)
  expect(engine.isHealthy()).toBe(false)
})

test('the engine is unhealthy while the database rejects claims, and continues afterwards', async () => {
  await using tasks = await openTasks()
  let isBroken = false
  const problems: LogFields[] = []
  const database = {
    ...tasks.database,
    write: <T>(job: Parameters<typeof tasks.database.write<T>>[0]) =>
      isBroken ? Promise.reject(new Error('disk full')) : tasks.database.write(job),
  }
  const log = { ...silentLog, error: (_message: string, fields: LogFields = {}) => void problems.push(fields), child: () => silentLog }
  const kind = scriptedKind(finished)
  await using svc = await startEngine({ ...tasks, database }, { kinds: [bind(kind)], deps: { log } })
  const id = await svc.enqueue(kind, 'a', { runAtMs: tasks.clock.now() + 60_000 })
  isBroken = true
  await tasks.clock.advance(60_000)
  expect(svc.engine.isHealthy()).toBe(false)
  expect(problems[0]).toMatchObject({ error: new Error('disk full') })
  isBroken = false
  await tasks.clock.advance(2 * pollMs)
  expect((await readTask(tasks, id)).status).toBe('completed')
  expect(svc.engine.isHealthy()).toBe(true)
})
