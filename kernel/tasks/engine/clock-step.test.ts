import { expect, test } from 'vitest'
import { runSql } from '../../testing/sql.ts'
import { done, wait } from '../outcome.ts'
import {
  bind,
  gate,
  leaseMs,
  openTasks,
  pollMs,
  type Run,
  readTask,
  scriptedKind,
  startEngine,
  type TestTasks,
} from '../testing/test-engine.ts'

const hourMs = 3_600_000

/** Sets the wall clock back; timers go on as before. */
function stepBack({ clock }: TestTasks, ms: number): void {
  const before = clock.now
  clock.now = () => before() - ms
}

/** A task that waits a minute each time it runs, and counts its runs. */
function waitingKind(tasks: TestTasks) {
  const runs: Run[] = []
  const kind = scriptedKind((run) => {
    runs.push(run)
    return wait('funding', tasks.clock.now() + 60_000)
  })
  return { kind, runs }
}

test('after a step back of the clock a waiting task is due at once, and waits its usual time again', async () => {
  await using tasks = await openTasks()
  const { kind, runs } = waitingKind(tasks)
  await using svc = await startEngine(tasks, { kinds: [bind(kind)] })
  await svc.enqueue(kind)
  await tasks.clock.advance(0)
  expect(runs).toHaveLength(1)
  stepBack(tasks, 10 * hourMs)
  await tasks.clock.advance(pollMs)
  expect(runs).toHaveLength(2)
  await tasks.clock.advance(60_000 + pollMs)
  expect(runs).toHaveLength(3)
})

test('a step back of the clock while the service is down is seen at the next start', async () => {
  await using tasks = await openTasks()
  const { kind, runs } = waitingKind(tasks)
  const first = await startEngine(tasks, { kinds: [bind(kind)] })
  await first.enqueue(kind)
  await tasks.clock.advance(0)
  await first.stop()
  stepBack(tasks, 10 * hourMs)
  await using _second = await startEngine(tasks, { kinds: [bind(kind)] })
  await tasks.clock.advance(pollMs)
  expect(runs).toHaveLength(2)
})

test("after a crash and a step back, a dead owner's lease ends within one lease duration", async () => {
  await using tasks = await openTasks()
  const { kind, runs } = waitingKind(tasks)
  const first = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await first.enqueue(kind)
  await tasks.clock.advance(0)
  await first.stop()
  const nowMs = tasks.clock.now()
  await tasks.database.write((tx) =>
    runSql(
      tx,
      "update tasks set status = 'running', lease_owner = 'dead', lease_until = ?, lease_seq = lease_seq + 1 where id = ?",
      nowMs + leaseMs,
      id,
    ),
  )
  await tasks.database.write((tx) => runSql(tx, "update task_counts set n = case status when 'running' then 1 else 0 end"))
  stepBack(tasks, 10 * hourMs)
  await using _second = await startEngine(tasks, { kinds: [bind(kind)] })
  await tasks.clock.advance(pollMs)
  expect(runs).toHaveLength(2)
})

test('a step back does not affect the running tasks of this process', async () => {
  await using tasks = await openTasks()
  const held = gate()
  const runs: Run[] = []
  const kind = scriptedKind(async (run) => {
    runs.push(run)
    await held.promise
    return done()
  })
  await using svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await svc.enqueue(kind)
  await tasks.clock.advance(0)
  stepBack(tasks, 10 * hourMs)
  await tasks.clock.advance(3 * leaseMs)
  expect(runs).toHaveLength(1)
  expect(runs[0]?.signal.aborted).toBe(false)
  held.resolve()
  await tasks.clock.advance(0)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'completed', lease_seq: 1 })
})

test('due times of plugins are bounded in the same transaction, once for each step', async () => {
  await using tasks = await openTasks()
  const bounds: number[] = []
  const dueTimes = [{ name: 'test', bound: (_: unknown, nowMs: number) => void bounds.push(nowMs) }]
  await using _svc = await startEngine(tasks, { dueTimes })
  await tasks.clock.advance(pollMs)
  expect(bounds).toEqual([])
  stepBack(tasks, hourMs)
  const steppedMs = tasks.clock.now()
  await tasks.clock.advance(3 * pollMs)
  expect(bounds).toHaveLength(1)
  expect(bounds[0]).toBeGreaterThanOrEqual(steppedMs)
})

test('a step forward only ends the wait early', async () => {
  await using tasks = await openTasks()
  const { kind, runs } = waitingKind(tasks)
  await using svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await svc.enqueue(kind)
  await tasks.clock.advance(0)
  stepBack(tasks, -10 * hourMs)
  await tasks.clock.advance(pollMs)
  expect(runs).toHaveLength(2)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'pending', attempts: 0, last_error: null })
})
