import { expect, test } from 'vitest'
import { systemClock } from '../../core/clock.ts'
import { type NoParams, sqlStatement } from '../../db/statement.ts'
import { silentLog } from '../../log/log.ts'
import { describeOnEngines } from '../../testing/on-engines.ts'
import { createTaskEngine } from '../engine/create-engine.ts'
import { fenceWrites } from '../engine/fence.ts'
import { LeaseLost } from '../engine/lease-lost.ts'
import {
  bind,
  finished,
  leaseMs,
  openTasks,
  readTask,
  scriptedKind,
  settings,
  startEngine,
  type TestTasks,
  wrongCounters,
} from '../testing/test-engine.ts'
import { boundTaskTimes, readClockMark, writeClockMark } from './clock-step-store.ts'
import type { Ending } from './ending-policy.ts'
import { endRun } from './ending-store.ts'
import { claimTasks, findNextTimes, releaseLeases, renewLeases } from './lease-store.ts'
import { createTaskQueue } from './queue-store.ts'
import { taskMigrations } from './task-migrations.ts'

const kind = scriptedKind(finished)
const ids = sqlStatement<NoParams, { id: number; status: string; againAtMs: number | null; runAtMs: number; waitReason: string | null }>(
  `select id, status, again_at as "againAtMs", run_at as "runAtMs", wait_reason as "waitReason" from tasks order by id`,
)

/** The operations of one process, without its loops. */
function createProcess({ database, clock }: TestTasks, owner: string) {
  const queue = createTaskQueue(clock, () => {})
  const claim = (total = 10) => {
    const nowMs = clock.now()
    const lease = { nowMs, untilMs: nowMs + leaseMs }
    return database.write((tx) => claimTasks(tx, { free: new Map([['work', total]]), total, owner, nowMs, lease }))
  }
  return {
    add: (name: string, options = {}) => database.write((tx) => queue.add(tx, kind, { name }, options)),
    claim,
    /** Claims one task; its lease. */
    async take() {
      const [task] = await claim(1)
      if (task === undefined) throw new Error('there is nothing to claim')
      return { id: task.id, kind: task.kind, seq: task.leaseSeq }
    },
    end: (lease: { id: number; kind: string; seq: number }, ending: Ending) =>
      database.write((tx) => endRun(tx, lease, ending, clock.now())),
  }
}

const rows = (tasks: TestTasks) => tasks.database.read.all(ids)
const waiting: Ending = { kind: 'wait', reason: 'funding', message: 'soon', untilMs: Number.MAX_SAFE_INTEGER, hasProgressed: false }

await describeOnEngines('the rows of tasks', (engine) => {
  test('a task is claimed once, the longest due first', async () => {
    await using tasks = await openTasks(engine)
    const [a, b] = [createProcess(tasks, 'a'), createProcess(tasks, 'b')]
    const added: number[] = []
    for (const delayMs of [3, 1, 2]) added.push(await a.add('x', { runAtMs: tasks.clock.now() - delayMs }))
    const claims = await Promise.all([a.claim(2), b.claim(), a.claim(), b.claim()])
    expect(claims.map((claimed) => claimed.map(({ id }) => id))).toEqual([[added[0], added[2]], [added[1]], [], []])
    expect(await wrongCounters(tasks)).toEqual([])
  })

  test('an expired lease is reclaimed by the claim itself, and its run can write nothing more', async () => {
    await using tasks = await openTasks(engine)
    const process = createProcess(tasks, 'a')
    await process.add('x')
    const lost = await process.take()
    expect(await findNextTimes(tasks.database.read, ['work'])).toEqual({ leaseAtMs: tasks.clock.now() + leaseMs, runAtMs: Infinity })
    await tasks.clock.advance(leaseMs)
    const lease = await createProcess(tasks, 'b').take()
    expect(lease).toMatchObject({ id: lost.id, seq: lost.seq + 1 })
    expect(await tasks.database.write((tx) => renewLeases(tx, [lost, lease], tasks.clock.now() + leaseMs))).toEqual([lost.id])
    expect(await process.end(lost, { kind: 'done' })).toBeUndefined()
    let written = 0
    const write = (of: typeof lease) => fenceWrites(tasks.database, of).write(async () => ++written)
    await expect(write(lost)).rejects.toThrow(LeaseLost)
    expect([await write(lease), written]).toEqual([1, 1])
    expect(await process.end(lease, { kind: 'done' })).toBe('completed')
    expect(await wrongCounters(tasks)).toEqual([])
  })

  test('a key is given once: a pending task is brought forward, a running one runs again, an ended one frees it', async () => {
    await using tasks = await openTasks(engine)
    const process = createProcess(tasks, 'a')
    const nowMs = tasks.clock.now()
    const put = (atMs = nowMs) => process.add('x', { key: 'k', runAtMs: atMs })
    const id = await put(nowMs + 5000)
    expect(await Promise.all([put(nowMs + 9000), put(nowMs + 1000)])).toEqual([id, id])
    expect(await rows(tasks)).toMatchObject([{ id, runAtMs: nowMs + 1000 }])
    await put()
    const lease = await process.take()
    await process.end(lease, waiting)
    expect(await rows(tasks)).toMatchObject([{ status: 'pending', waitReason: 'funding' }])
    await put()
    expect(await rows(tasks)).toMatchObject([{ status: 'pending', waitReason: null, runAtMs: nowMs }])
    const again = await process.take()
    expect(await put(nowMs + 10)).toBe(id)
    expect(await put(nowMs + 20)).toBe(id)
    expect(await rows(tasks)).toMatchObject([{ status: 'running', againAtMs: nowMs + 10 }])
    expect(await process.end(again, { kind: 'fail', code: 'rejected', message: 'no', isRetryable: true })).toBe('failed')
    const [, clone] = await rows(tasks)
    expect(clone).toMatchObject({ status: 'pending', runAtMs: nowMs + 10 })
    expect(await put()).toBe(clone?.id)
    expect(await process.end(await process.take(), { kind: 'done' })).toBe('completed')
    expect(await put()).toBeGreaterThan(clone?.id ?? 0)
    expect(await wrongCounters(tasks)).toEqual([])
  })

  test('a retry, a rerun after success and a hand-back put the task back', async () => {
    await using tasks = await openTasks(engine)
    const process = createProcess(tasks, 'a')
    const nowMs = tasks.clock.now()
    await process.add('x', { key: 'k' })
    expect(await process.end(await process.take(), { kind: 'retry', code: 'fault', message: 'no', runAtMs: nowMs, failures: 1 })).toBe(
      'pending',
    )
    const lease = await process.take()
    await process.add('x', { key: 'k' })
    expect(await process.end(lease, { kind: 'done' })).toBe('pending')
    await process.take()
    expect(await tasks.database.write((tx) => releaseLeases(tx, 'a', nowMs))).toBe(1)
    expect(await tasks.database.write((tx) => releaseLeases(tx, 'a', nowMs))).toBe(0)
    expect(await rows(tasks)).toMatchObject([{ status: 'pending', againAtMs: null }])
    expect(await wrongCounters(tasks)).toEqual([])
  })

  test('after a step back of the clock every time is due, and leases of others end', async () => {
    await using tasks = await openTasks(engine)
    const process = createProcess(tasks, 'dead')
    const nowMs = tasks.clock.now()
    await process.add('x')
    await process.take()
    await process.add('y', { runAtMs: nowMs + 5000 })
    const steppedMs = nowMs - 3_600_000
    const step = { nowMs: steppedMs, owner: 'me', lease: { nowMs: steppedMs, untilMs: steppedMs + leaseMs } }
    await tasks.database.write(async (tx) => {
      await boundTaskTimes(tx, step)
      await writeClockMark(tx, steppedMs)
    })
    expect(await findNextTimes(tasks.database.read, ['work'])).toEqual({ leaseAtMs: steppedMs, runAtMs: steppedMs })
    expect(await readClockMark(tasks.database.read)).toBe(steppedMs)
    expect(await rows(tasks)).toMatchObject([{ status: 'running' }, { status: 'pending', runAtMs: steppedMs }])
  })

  test('a run whose error has a NUL character uses an attempt and is retried after its backoff', async () => {
    await using tasks = await openTasks(engine)
    const faulty = scriptedKind(() => Promise.reject(new Error('the node answered \0')))
    await using running = await startEngine(tasks, { kinds: [bind(faulty)] })
    const id = await running.enqueue(faulty)
    const ended = async () => (await readTask(tasks, id)).attempts
    await expect.poll(ended, { timeout: 20_000 }).toBe(1)
    expect(await readTask(tasks, id)).toMatchObject({ status: 'pending', last_error: 'the node answered \ufffd' })
  })

  test('an engine on the real clock runs enqueued tasks once, under leases by the clock of the database', async () => {
    await using database = await engine.open([{ name: 'kernel', migrations: taskMigrations }])
    const ran: string[] = []
    const noted = scriptedKind(({ args: { name } }) => {
      ran.push(name)
      return finished({} as never)
    })
    const work = { kinds: [bind(noted)], lanes: [], schedules: [], recoveries: [], dueTimes: [] }
    const engines = [1, 2].map(() => createTaskEngine({ database, clock: systemClock, log: silentLog, settings }))
    const names = Array.from({ length: 20 }, (_, n) => `task ${n}`)
    await Promise.all(
      names.map((name, n) => database.write((tx) => (engines[n % 2] as (typeof engines)[number]).queue.add(tx, noted, { name }))),
    )
    for (const one of engines) await one.start(work)
    await expect.poll(() => [...ran].sort(), { timeout: 20_000 }).toEqual([...names].sort())
    for (const one of engines) await one.stop()
    expect(
      await database.read.all(sqlStatement<NoParams, { n: number }>("select count(*) as n from tasks where status = 'completed'")),
    ).toEqual([{ n: 20 }])
  })
})
