import { expect, test } from 'vitest'
import { done, fail, type Outcome, wait } from './outcome.ts'
import { claimTasks } from './rows/lease-store.ts'
import { RunCounts, runSecondsBuckets } from './run-counts.ts'
import {
  bind,
  gate,
  leaseMs,
  openTasks,
  pollMs,
  type RunningEngine,
  type Script,
  scriptedKind,
  startEngine,
} from './testing/test-engine.ts'

const throwing: Script = () => {
  throw new Error('no answer')
}

/** Runs and total seconds of each result of the kind `work` that occurred. */
function countsOf({ engine }: RunningEngine) {
  const occurred = engine.runs.counts().filter(({ kind, runs }) => kind === 'work' && runs > 0)
  return Object.fromEntries(occurred.map(({ result, runs, seconds }) => [result, [runs, seconds.sum]]))
}

test('every finished run is counted with its result and duration', async () => {
  await using tasks = await openTasks()
  const script: Outcome[] = [wait('funding', 0), fail('rejected', 'no', { retryable: false }), done(), done()]
  const kind = scriptedKind(
    async () => {
      await tasks.clock.sleep(300)
      return script.shift() ?? done()
    },
    { concurrency: 1 },
  )
  await using svc = await startEngine(tasks, { kinds: [bind(kind)] })
  for (const name of ['a', 'b', 'c']) await svc.enqueue(kind, name)
  await tasks.clock.advance(2 * pollMs)
  expect(countsOf(svc)).toEqual({ wait: [1, 0.3], failure: [1, 0.3], success: [2, 0.6] })
})

test('a run that throws counts as a retry, and as a failure after the last attempt', async () => {
  await using tasks = await openTasks()
  const kind = scriptedKind(throwing, { attempts: 3 })
  await using svc = await startEngine(tasks, { kinds: [bind(kind)] })
  await svc.enqueue(kind)
  await tasks.clock.advance(3_600_000)
  expect(countsOf(svc)).toEqual({ retry: [2, 0], failure: [1, 0] })
})

test('handed back runs and runs that lost their lease are not counted', async () => {
  await using tasks = await openTasks()
  const open = gate()
  const kind = scriptedKind(async () => {
    await open.promise
    return done()
  })
  await using svc = await startEngine(tasks, { kinds: [bind(kind)] })
  await svc.enqueue(kind)
  await tasks.clock.advance(0)
  const nowMs = tasks.clock.now() + 2 * leaseMs
  const request = { free: new Map([['work', 1]]), total: 1, owner: 'other', nowMs, lease: { nowMs, untilMs: nowMs + leaseMs } }
  expect((await tasks.database.write((tx) => claimTasks(tx, request))).length).toBe(1)
  open.resolve()
  await tasks.clock.advance(0)
  expect(countsOf(svc)).toEqual({})

  const counts = new RunCounts(new Map([['work', {}]]))
  counts.add('work', 'hand-back', 100)
  expect(counts.counts().every(({ runs }) => runs === 0)).toBe(true)
})

test('every known kind starts with every result at 0', async () => {
  await using tasks = await openTasks()
  await using svc = await startEngine(tasks, { kinds: [bind(scriptedKind(throwing))] })
  const labels = svc.engine.runs.counts().map(({ kind, result, runs }) => [kind, result, runs])
  const results = ['success', 'wait', 'retry', 'failure']
  expect(labels).toEqual(['work', 'task_gc'].flatMap((kind) => results.map((result) => [kind, result, 0])))
})

test('a duration counts in the first bucket whose bound is not below it', () => {
  expect(runSecondsBuckets).toEqual([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8])
  const counts = new RunCounts(new Map([['work', {}]]))
  // A clock that steps back during a run gives a negative duration.
  for (const ms of [-5000, 0, 100, 101, 204_800, 204_801]) counts.add('work', 'done', ms)
  const [success] = counts.counts()
  expect(success).toMatchObject({ result: 'success', runs: 6, seconds: { counts: [3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1] } })
  expect(success?.seconds.sum).toBeCloseTo(409.802, 6)
})
