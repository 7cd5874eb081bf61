import { expect, test } from 'vitest'
import { dueTimes, type Log, type TaskQueue } from '#kernel'
import { loadContributions } from '#kernel/host'
import { silentLog } from '#kernel/testing'
import { bucketDeletions } from '#plugins/storage'
import { s3Plugin } from '../../s3/plugin.ts'
import { lifecyclePlugin } from '../plugin.ts'
import { dayMs, type LifecycleScene, openLifecycleScene } from '../testing/lifecycle-scene.ts'
import type { AppliedRules } from './apply-rules.ts'
import { findRuns } from './find-runs.ts'
import { findRun } from './run-store.ts'

const hourMs = 3_600_000

/** Records what is enqueued. Keys in `open` have a task. */
function recordingQueue(open: ReadonlySet<string> = new Set()) {
  const added: AppliedRules[] = []
  const queue = {
    add: async (_tx: unknown, _kind: unknown, args: AppliedRules) => added.push(args),
    openKeys: async (_tx: unknown, keys: readonly string[]) => new Set(keys.filter((key) => open.has(key))),
  } as unknown as TaskQueue
  return { queue, added }
}

const look = async (
  scene: LifecycleScene,
  { queue, added }: ReturnType<typeof recordingQueue> = recordingQueue(),
  changes: Partial<Pick<Parameters<typeof findRuns>[0], 'database' | 'log'>> = {},
) => {
  const { deps: of, rules: lifecycleRules, buckets } = scene
  const deps = { ...of, buckets, lifecycleRules, queue, log: silentLog, ...changes }
  await findRuns(deps, new AbortController().signal)
  return added
}

/** Lets time pass with a look every hour, as the schedule does. */
async function live(scene: LifecycleScene, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    await scene.clock.advance(hourMs)
    await look(scene)
  }
}

const state = async (scene: LifecycleScene) => (await scene.rules.stateOf(scene.photos())) ?? {}

const expire = { expiration: { kind: 'days', days: 1 } } as const

test('each bucket with rules gets one run a day, after the first midnight that its rules have seen', async () => {
  await using scene = await openLifecycleScene()
  const midnight = scene.clock.now()
  await scene.clock.advance(hourMs)
  await scene.buckets.create({ name: 'without-rules', ownerAccessKey: null })
  await scene.setRules(expire)
  expect(await look(scene)).toEqual([])
  await live(scene, 22)
  expect(await look(scene)).toEqual([])
  await live(scene, 1)
  const due = { bucketId: scene.photos().id, bucket: 'photos', dueMs: midnight + dayMs }
  expect(await look(scene)).toEqual([due])
  // The task of the day before is still open.
  expect(await look(scene, recordingQueue(new Set([`lifecycle:${due.bucketId}`])))).toEqual([])
  await scene.run()
  expect(await look(scene)).toEqual([])
  await live(scene, 24)
  expect(await look(scene)).toEqual([{ ...due, dueMs: midnight + 2 * dayMs }])
})

test('the same rules stored again keep their time, so that a client that repeats them does not put them off', async () => {
  await using scene = await openLifecycleScene()
  await scene.setRules(expire)
  await live(scene, 24)
  await scene.clock.advance(1000)
  await scene.setRules(expire)
  expect(await look(scene)).toHaveLength(1)
  await scene.setRules({ expiration: { kind: 'days', days: 2 } })
  expect(await look(scene)).toEqual([])
})

test('after the clock was set ahead no run begins for a day, and none at all when it is corrected in time', async () => {
  await using scene = await openLifecycleScene()
  await scene.setRules(expire)
  await live(scene, 3)
  await scene.clock.advance(90 * dayMs)
  expect(await look(scene)).toEqual([])
  expect(scene.actionCounts.isResting).toBe(true)
  expect((await state(scene)).rest).toEqual({ reason: 'unseen_time', untilMs: scene.clock.now() + dayMs })
  await live(scene, 23)
  expect(await look(scene)).toEqual([])
  await live(scene, 1)
  expect(await look(scene)).toHaveLength(1)
  expect(scene.actionCounts.isResting).toBe(false)
  expect(await state(scene)).toEqual({ run: undefined, rest: undefined })
})

test('when its time is over, a rest is not taken for a wrong clock before the next look', async () => {
  await using scene = await openLifecycleScene()
  await live(scene, 1)
  await scene.clock.advance(90 * dayMs)
  await look(scene)
  await scene.clock.advance(dayMs)
  expect([scene.actionCounts.isResting, (await state(scene)).rest]).toEqual([true, undefined])
})

test('rules that were stored, and runs that began, while the clock was ahead do not rest after it was set back', async () => {
  await using scene = await openLifecycleScene()
  const rightMs = scene.clock.now()
  await scene.clock.advance(30 * dayMs)
  await scene.setRules(expire)
  await scene.clock.advance(dayMs)
  await scene.run()
  const nowMs = rightMs + hourMs
  const clock = { ...scene.deps.clock, now: () => nowMs + aheadMs }
  let aheadMs = 0
  const found = async () => {
    const recorded = recordingQueue()
    const { deps: of, rules: lifecycleRules, buckets } = scene
    await findRuns({ ...of, clock, buckets, lifecycleRules, queue: recorded.queue, log: silentLog }, new AbortController().signal)
    return recorded.added.map(({ dueMs }) => dueMs)
  }
  const times = (await loadContributions(dueTimes, [s3Plugin, lifecyclePlugin])).map(({ item }) => item)
  await scene.database.write(async (tx) => {
    for (const { bound } of times) await bound(tx, nowMs)
  })
  expect((await state(scene)).run).toMatchObject({ dueMs: nowMs, endedMs: expect.any(Number) })
  expect(await found()).toEqual([])
  for (; aheadMs < dayMs; aheadMs += hourMs) await found()
  expect(await found()).toEqual([rightMs + dayMs])
})

test('no run begins while the clock is ahead of that of the database', async () => {
  await using scene = await openLifecycleScene()
  await scene.setRules(expire)
  await live(scene, 25)
  const behind = (hours: number) => {
    const { read, write } = scene.database
    const of = { ...scene.database, read, write: write.bind(scene.database), now: async () => scene.clock.now() - hours * hourMs }
    return { database: of as typeof scene.database & Parameters<typeof findRuns>[0]['database'] }
  }
  const lines: unknown[] = []
  const log: Log = { ...silentLog, warn: (message, fields) => void lines.push([message, fields]) }
  for (let times = 0; times < 2; times++) expect(await look(scene, recordingQueue(), { ...behind(30), log })).toEqual([])
  expect(scene.actionCounts.isResting).toBe(true)
  expect((await state(scene)).rest).toEqual({ reason: 'clock_ahead' })
  expect(lines).toEqual([[expect.stringContaining('ahead of that of the database'), { aheadMs: 30 * hourMs }]])
  expect(await look(scene, recordingQueue(), behind(2))).toHaveLength(1)
  expect(await look(scene, recordingQueue(), behind(-30))).toHaveLength(1)
})

test('a run that begins after its bucket was deleted leaves no row', async () => {
  await using scene = await openLifecycleScene()
  await scene.setRules(expire)
  await scene.clock.advance(dayMs)
  const { id } = scene.photos()
  await scene.buckets.delete('photos')
  const { applyRules } = await import('./apply-rules.ts')
  const run = { bucketId: id, bucket: 'photos', dueMs: scene.clock.now() }
  expect(await applyRules(scene.deps, run, new AbortController().signal)).toEqual({ kind: 'done' })
  expect(await findRun(scene.database.read, id)).toBeUndefined()
})

test('the row of a run goes with its bucket', async () => {
  await using scene = await openLifecycleScene()
  await scene.setRules(expire)
  await scene.clock.advance(dayMs)
  await scene.run()
  const { id } = scene.photos()
  expect(await findRun(scene.database.read, id)).toMatchObject({ phase: 'ended' })
  const deletions = (await loadContributions(bucketDeletions, [lifecyclePlugin])).map(({ item }) => item)
  await scene.database.write(async (tx) => {
    for (const { deleted } of deletions) await deleted(tx, id)
  })
  expect(await findRun(scene.database.read, id)).toBeUndefined()
})
