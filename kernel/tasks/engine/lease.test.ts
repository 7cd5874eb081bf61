import { expect, test } from 'vitest'
import { watchProbes } from '../../testing/probes.ts'
import { getRow, runSql } from '../../testing/sql.ts'
import { done } from '../outcome.ts'
import {
  bind,
  countWrites,
  gate,
  leaseMs,
  openTasks,
  type Run,
  readTask,
  scriptedKind,
  startEngine,
  type TestTasks,
} from '../testing/test-engine.ts'
import { claimGapMs } from './worker.ts'

/** An engine with one task that runs until the test releases it, over a database that can be made to hang or fail. */
async function startHeldRun(tasks: TestTasks, stopMs = 50) {
  const held = gate()
  const runs: Run[] = []
  let fault: 'none' | 'fails' | 'hangs' = 'none'
  const database = {
    ...tasks.database,
    write<T>(job: Parameters<typeof tasks.database.write<T>>[0]): Promise<T> {
      if (fault === 'fails') return Promise.reject(new Error('disk full'))
      if (fault === 'hangs') return new Promise<T>(() => {})
      return tasks.database.write(job)
    },
  }
  const kind = scriptedKind(async (run) => {
    runs.push(run)
    await held.promise
    run.signal.throwIfAborted()
    return done()
  })
  const svc = await startEngine({ ...tasks, database }, { kinds: [bind(kind)], deps: { stopMs } })
  const id = await svc.enqueue(kind)
  await tasks.clock.advance(claimGapMs)
  const break_ = (kind: typeof fault) => {
    fault = kind
  }
  return { ...svc, id, kind, runs, release: held.resolve, breakDatabase: break_ }
}

const leaseUntil = async ({ database }: TestTasks, id: number) =>
  (await getRow<{ lease_until: number }>(database.read, 'select lease_until from tasks where id = ?', id))?.lease_until

test('a long run keeps its lease', async () => {
  await using tasks = await openTasks()
  const { id, release, runs, stop } = await startHeldRun(tasks)
  await tasks.clock.advance(10 * leaseMs)
  expect(runs.length).toBe(1)
  expect(runs[0]?.signal.aborted).toBe(false)
  expect(await leaseUntil(tasks, id)).toBeGreaterThan(tasks.clock.now())
  release()
  await tasks.clock.advance(0)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', lease_seq: 1 })
  await stop()
})

test.each(['fails', 'hangs'] as const)('I-07: a run whose renewal %s is aborted before its lease ends', async (fault) => {
  await using tasks = await openTasks()
  const { breakDatabase, id, release, runs, stop } = await startHeldRun(tasks)
  const untilMs = (await leaseUntil(tasks, id)) ?? 0
  let abortedAtMs: number | undefined
  runs[0]?.signal.addEventListener('abort', () => {
    abortedAtMs = tasks.clock.now()
  })
  breakDatabase(fault)
  await tasks.clock.advance(leaseMs)
  expect(abortedAtMs).toBeLessThan(untilMs)
  expect(abortedAtMs).toBeGreaterThan(untilMs - leaseMs / 2)
  breakDatabase('none')
  release()
  if (fault === 'fails') await stop()
})

test('I-07: after a process freeze the run is aborted before its own engine reclaims the task', async () => {
  await using tasks = await openTasks()
  const { id, runs, release, stop, enqueue, kind } = await startHeldRun(tasks)
  let atAbort: Promise<{ readonly lease_seq: number }> | undefined
  runs[0]?.signal.addEventListener('abort', () => {
    atAbort = readTask(tasks, id)
  })
  // The clock jumps while no timer can fire; then the first event is a poll.
  const frozen = tasks.clock.now
  const jumpMs = 2 * leaseMs
  tasks.clock.now = () => frozen() + jumpMs
  await enqueue(kind, 'b')
  await tasks.clock.advance(0)
  expect(runs[0]?.signal.aborted).toBe(true)
  expect((await atAbort)?.lease_seq).toBe(1)
  release()
  await stop()
})

test('a run whose task was taken over is aborted and records nothing', async () => {
  await using tasks = await openTasks()
  const { id, release, runs, stop } = await startHeldRun(tasks)
  await tasks.database.write((tx) => runSql(tx, "update tasks set lease_seq = lease_seq + 1, lease_owner = 'other' where id = ?", id))
  await tasks.clock.advance(leaseMs / 3)
  expect(runs[0]?.signal.aborted).toBe(true)
  const before = await readTask(tasks, id)
  release()
  await tasks.clock.advance(0)
  expect(await readTask(tasks, id)).toEqual(before)
  await stop()
})

test('a stop hands a running task back immediately, attempts unchanged', async () => {
  await using tasks = await openTasks()
  const kind = scriptedKind(async ({ signal }) => {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return done()
  })
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await svc.enqueue(kind)
  await tasks.clock.advance(0)
  await svc.stop()
  expect(await readTask(tasks, id)).toMatchObject({ status: 'pending', attempts: 0, lease_owner: null, last_error: null })
})

test('a stop lets a run finish', async () => {
  await using tasks = await openTasks()
  const kind = scriptedKind(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return done()
  })
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await svc.enqueue(kind)
  await tasks.clock.advance(0)
  await svc.stop()
  expect((await readTask(tasks, id)).status).toBe('completed')
})

test('a task claimed during the stop is handed back without a run', async () => {
  await using tasks = await openTasks()
  using probes = watchProbes()
  const runs: Run[] = []
  const kind = scriptedKind((run) => {
    runs.push(run)
    return done()
  })
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const hold = probes.holdAt('tasks.claimed')
  const id = await svc.enqueue(kind)
  await hold.reached
  const stopped = svc.stop()
  await tasks.clock.advance(0)
  hold.release()
  await stopped
  expect(runs).toEqual([])
  expect(await readTask(tasks, id)).toMatchObject({ status: 'pending', attempts: 0 })
})

test('a run that ignores the abort is abandoned, and its task handed back', async () => {
  await using tasks = await openTasks()
  const { id, release, runs, stop } = await startHeldRun(tasks)
  await stop()
  expect(runs[0]?.signal.aborted).toBe(true)
  const before = await readTask(tasks, id)
  expect(before).toMatchObject({ status: 'pending', attempts: 0, lease_owner: null })
  release()
  await tasks.clock.advance(0)
  expect(await readTask(tasks, id)).toEqual(before)
})

test('a run whose end cannot be recorded is not a failure: the task runs again after its lease', async () => {
  await using tasks = await openTasks()
  const { breakDatabase, id, release, runs, stop } = await startHeldRun(tasks)
  breakDatabase('fails')
  release()
  await tasks.clock.advance(0)
  breakDatabase('none')
  await tasks.clock.advance(leaseMs + 1)
  expect(runs.length).toBe(2)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', attempts: 0 })
  await stop()
})

const turns = async () => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test.each([0, -45_000, -70_000])(
  'a clock of the database that differs by %d ms causes no loop of claims while a task runs',
  async (skewMs) => {
    await using tasks = await openTasks()
    const held = gate()
    const { database: counted, take: takeWrites } = countWrites(tasks.database)
    const database = { ...counted, now: async () => tasks.clock.now() + skewMs }
    const kind = scriptedKind(async () => {
      await held.promise
      return done()
    })
    const svc = await startEngine({ ...tasks, database }, { kinds: [bind(kind)] })
    await svc.enqueue(kind)
    await tasks.clock.advance(0)
    await turns()
    takeWrites()
    await turns()
    expect(takeWrites()).toBe(0)
    held.resolve()
    await svc.stop()
  },
)

test('a due task that no claim can take causes no loop of claims', async () => {
  await using tasks = await openTasks()
  let claims = 0
  let isTaken = true
  const database = {
    ...tasks.database,
    write<T>(job: Parameters<typeof tasks.database.write<T>>[0]): Promise<T> {
      if (++claims > 100) throw new Error('a loop of claims')
      return isTaken ? Promise.resolve([] as T) : tasks.database.write(job)
    },
  }
  const kind = scriptedKind(() => done())
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  await svc.stop()
  await svc.enqueue(kind)
  await using _other = await startEngine({ ...tasks, database }, { kinds: [bind(kind)] })
  await turns()
  expect(claims).toBeLessThan(10)
  claims = 0
  isTaken = false
})
