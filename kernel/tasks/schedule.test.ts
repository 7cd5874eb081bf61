import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../log.ts'
import { bind, finished, openTasks, scriptedKind, startEngine, type TestTasks } from './testing/test-engine.ts'

// node-cron keeps its own time: only that is moved here. Everything else runs on the engine's clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 0, 1) })
})
afterEach(() => {
  vi.useRealTimers()
})

const work = scriptedKind(finished)
const hourly = { name: 'hourly', cron: '0 * * * *', kind: work, args: { name: 'a' } }

async function pass(tasks: TestTasks, ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await tasks.clock.advance(ms)
}

const keysOf = ({ database }: TestTasks) =>
  database.read.all<{ key: string; status: string }>("select key, status from tasks where kind = 'work' order by id")

test('each tick enqueues its kind once', async () => {
  await using tasks = await openTasks()
  await using _svc = await startEngine(tasks, { kinds: [bind(work)], schedules: [hourly] })
  for (let hours = 0; hours < 3; hours++) await pass(tasks, 3_600_000)
  expect(keysOf(tasks)).toEqual(Array(3).fill({ key: 'work@hourly', status: 'completed' }))
})

test('ticks add no task while the previous one is open', async () => {
  await using tasks = await openTasks()
  await using _svc = await startEngine(tasks, {
    kinds: [bind(scriptedKind(({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))))],
    schedules: [hourly],
    doors: { stopMs: 50 },
  })
  for (let hours = 0; hours < 3; hours++) await pass(tasks, 3_600_000)
  expect(keysOf(tasks)).toEqual([{ key: 'work@hourly', status: 'running' }])
})

test('two schedules of one kind tick independently', async () => {
  await using tasks = await openTasks()
  await using _svc = await startEngine(tasks, { kinds: [bind(work)], schedules: [hourly, { ...hourly, name: 'also hourly' }] })
  await pass(tasks, 3_600_000)
  expect(keysOf(tasks).map(({ key }) => key)).toEqual(['work@hourly', 'work@also hourly'])
})

test('no schedule ticks after the stop', async () => {
  await using tasks = await openTasks()
  const svc = await startEngine(tasks, { kinds: [bind(work)], schedules: [hourly] })
  await svc.stop()
  await pass(tasks, 2 * 3_600_000)
  expect(keysOf(tasks)).toEqual([])
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
  await using _svc = await startEngine({ ...tasks, database }, { kinds: [bind(work)], schedules: [hourly], doors: { log } })
  isBroken = true
  await vi.advanceTimersByTimeAsync(3_600_000)
  isBroken = false
  await pass(tasks, 3_600_000)
  expect(lines.join()).toContain('a scheduled task could not be enqueued schedule=hourly')
  expect(keysOf(tasks).length).toBe(1)
})

test('the start fails and names an invalid schedule', async () => {
  await using tasks = await openTasks()
  await expect(startEngine(tasks, { kinds: [bind(work)], schedules: [{ ...hourly, cron: 'often' }] })).rejects.toThrow(
    "the schedule 'hourly' has the cron expression 'often'",
  )
  await using other = await openTasks()
  await expect(startEngine(other, { schedules: [hourly] })).rejects.toThrow("enqueues 'work', a task kind that no enabled plugin brings")
})
