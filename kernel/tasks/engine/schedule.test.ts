import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../../log/log.ts'
import { allRows } from '../../testing/sql.ts'
import { bind, finished, openTasks, scriptedKind, startEngine, type TestTasks } from '../testing/test-engine.ts'

// node-cron keeps its own time: only that is moved here. Everything else runs on the engine's clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 0, 1) })
})
afterEach(() => {
  vi.useRealTimers()
})

const minuteMs = 60_000
const work = scriptedKind(finished)
// node-cron sets a timer each second: ticks that are far apart are expensive here.
const minutely = { name: 'minutely', cron: '* * * * *', kind: work, args: { name: 'a' } }

async function pass(tasks: TestTasks, ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await tasks.clock.advance(ms)
}

const keysOf = ({ database }: TestTasks) =>
  allRows<{ key: string; status: string }>(database.read, "select key, status from tasks where kind = 'work' order by id")

test('each tick enqueues its kind once', async () => {
  await using tasks = await openTasks()
  await using _svc = await startEngine(tasks, { kinds: [bind(work)], schedules: [minutely] })
  for (let ticks = 0; ticks < 3; ticks++) await pass(tasks, minuteMs)
  expect(await keysOf(tasks)).toEqual(Array(3).fill({ key: 'work@minutely', status: 'completed' }))
})

test('ticks add no task while the previous one is open', async () => {
  await using tasks = await openTasks()
  await using _svc = await startEngine(tasks, {
    kinds: [bind(scriptedKind(({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))))],
    schedules: [minutely],
    deps: { stopMs: 50 },
  })
  for (let ticks = 0; ticks < 3; ticks++) await pass(tasks, minuteMs)
  expect(await keysOf(tasks)).toEqual([{ key: 'work@minutely', status: 'running' }])
})

test('two schedules of one kind tick independently', async () => {
  await using tasks = await openTasks()
  await using _svc = await startEngine(tasks, { kinds: [bind(work)], schedules: [minutely, { ...minutely, name: 'also minutely' }] })
  await pass(tasks, minuteMs)
  expect((await keysOf(tasks)).map(({ key }) => key)).toEqual(['work@minutely', 'work@also minutely'])
})

test('no schedule ticks after the stop', async () => {
  await using tasks = await openTasks()
  const svc = await startEngine(tasks, { kinds: [bind(work)], schedules: [minutely] })
  await svc.stop()
  await pass(tasks, 2 * minuteMs)
  expect(await keysOf(tasks)).toEqual([])
})

test('a tick that cannot be recorded is logged, and the next one is recorded', async () => {
  await using tasks = await openTasks()
  let isBroken = false
  const lines: string[] = []
  const database = {
    ...tasks.database,
    write: <T>(job: Parameters<typeof tasks.database.write<T>>[0]) =>
      isBroken ? Promise.reject(new Error('disk full')) : tasks.database.write(job),
  }
  const log = createLog({ level: 'warn', format: 'text', secrets: [], write: (line) => lines.push(line) })
  await using _svc = await startEngine({ ...tasks, database }, { kinds: [bind(work)], schedules: [minutely], deps: { log } })
  isBroken = true
  await vi.advanceTimersByTimeAsync(minuteMs)
  isBroken = false
  await pass(tasks, minuteMs)
  expect(lines.join()).toContain('a scheduled task could not be enqueued schedule=minutely')
  expect((await keysOf(tasks)).length).toBe(1)
})

test('the start fails and names an invalid schedule', async () => {
  await using tasks = await openTasks()
  await expect(startEngine(tasks, { kinds: [bind(work)], schedules: [{ ...minutely, cron: 'often' }] })).rejects.toThrow(
    "the schedule 'minutely' has the cron expression 'often'",
  )
  await using other = await openTasks()
  await expect(startEngine(other, { schedules: [minutely] })).rejects.toThrow(
    "enqueues 'work', a task kind that no enabled plugin provides",
  )
})
