import { expect, test } from 'vitest'
import { done } from '../outcome.ts'
import { bind, countWrites, openTasks, scriptedKind, startEngine, type TestTasks } from '../testing/test-engine.ts'
import { claimGapMs } from './worker.ts'

const slots = 4

/** An engine with four slots whose runs the test ends, over a database that counts its writes. */
async function startRuns(tasks: TestTasks, count: number) {
  const running: (() => void)[] = []
  const { database, take: takeWrites } = countWrites(tasks.database)
  const kind = scriptedKind(
    ({ signal }) =>
      new Promise((resolve) => {
        running.push(() => resolve(done()))
        signal.addEventListener('abort', () => resolve(done()))
      }),
    { concurrency: slots },
  )
  const svc = await startEngine({ ...tasks, database }, { kinds: [bind(kind)] })
  for (let i = 0; i < count; i++) await svc.enqueue(kind)
  // The claims that the enqueues requested have ended, and the gap after the last one.
  await tasks.clock.advance(10 * claimGapMs)
  return {
    ...svc,
    kind,
    running: () => running.length,
    async endOne() {
      running.shift()?.()
      await tasks.clock.advance(1)
    },
    takeWrites,
  }
}

test('runs that end shortly after each other share a claim', async () => {
  await using tasks = await openTasks()
  await using svc = await startRuns(tasks, 2 * slots)
  expect(svc.running()).toBe(slots)
  await svc.endOne()
  expect(svc.running()).toBe(slots)
  svc.takeWrites()
  for (let ended = 1; ended < slots; ended++) await svc.endOne()
  expect([svc.running(), svc.takeWrites()]).toEqual([1, slots - 1])
  await tasks.clock.advance(claimGapMs)
  expect([svc.running(), svc.takeWrites()]).toEqual([slots, 1])
})

test('the end of the last run is followed by a claim at once', async () => {
  await using tasks = await openTasks()
  await using svc = await startRuns(tasks, slots + 2)
  await svc.endOne()
  for (let ended = 0; ended < slots; ended++) await svc.endOne()
  expect(svc.running()).toBe(1)
})

test('a stop does not wait for the next claim', async () => {
  await using tasks = await openTasks()
  const svc = await startRuns(tasks, 2)
  await svc.endOne()
  await svc.enqueue(svc.kind)
  await svc.stop()
  expect(svc.running()).toBe(1)
})
