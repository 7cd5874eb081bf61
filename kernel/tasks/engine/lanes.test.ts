import { expect, test } from 'vitest'
import { runSql } from '../../testing/sql.ts'
import { done, type Outcome } from '../outcome.ts'
import { defineLane, defineRecovery } from '../task.ts'
import { bind, countWrites, openTasks, pollMs, readTask, type Script, scriptedKind, settings, startEngine } from '../testing/test-engine.ts'
import { claimGapMs } from './worker.ts'

const lane = (name: string, concurrency: number) => bind(defineLane({ name, uses: {}, concurrency: () => concurrency }))

/** Runs that end when the test says so. */
function createRuns() {
  const open: { readonly kind: string; readonly end: (outcome: Outcome) => void }[] = []
  const script = (kind: string): Script => {
    return () => new Promise((resolve) => open.push({ kind, end: resolve }))
  }
  return {
    script,
    running: () => open.map(({ kind }) => kind).sort(),
    /** Ends the oldest run of the kind, or of all. */
    endOne(kind = open[0]?.kind) {
      const at = open.findIndex((run) => run.kind === kind)
      for (const run of open.splice(at, 1)) run.end(done())
    },
    endAll() {
      for (const run of open.splice(0)) run.end(done())
    },
  }
}

test('a lane limits the runs of all its kinds together and does not delay other work', async () => {
  await using tasks = await openTasks()
  const runs = createRuns()
  const commit = scriptedKind(runs.script('commit'), { kind: 'commit', lane: 'paid' })
  const pull = scriptedKind(runs.script('pull'), { kind: 'pull', lane: 'paid' })
  const cleanup = scriptedKind(runs.script('cleanup'), { kind: 'cleanup', lane: 'removals' })
  const free = scriptedKind(runs.script('free'), { kind: 'free' })
  await using svc = await startEngine(tasks, {
    kinds: [bind(commit), bind(pull), bind(cleanup), bind(free)],
    lanes: [lane('paid', 3), lane('removals', 1)],
  })
  const kinds = [commit, pull, cleanup, free]
  const ids: number[] = []
  for (let i = 0; i < 4; i++) for (const kind of kinds) ids.push(await svc.enqueue(kind))
  await tasks.clock.advance(claimGapMs)
  const paid = () => runs.running().filter((kind) => kind === 'commit' || kind === 'pull').length
  expect(runs.running().filter((kind) => kind === 'free').length).toBe(4)
  expect(runs.running().filter((kind) => kind === 'cleanup').length).toBe(1)
  expect(paid()).toBe(3)
  // A free slot is used without waiting for a poll.
  runs.endOne('cleanup')
  await tasks.clock.advance(claimGapMs)
  expect(runs.running().filter((kind) => kind === 'cleanup').length).toBe(1)
  for (let round = 0; round < 20; round++) {
    runs.endOne()
    await tasks.clock.advance(claimGapMs)
    expect(paid()).toBeLessThanOrEqual(3)
    expect(runs.running().filter((kind) => kind === 'cleanup').length).toBeLessThanOrEqual(1)
  }
  expect(new Set(await Promise.all(ids.map(async (id) => (await readTask(tasks, id)).status)))).toEqual(new Set(['completed']))
})

test('kinds that share a lane take turns, also with a long backlog of one of them', async () => {
  await using tasks = await openTasks()
  const ran: string[] = []
  const noting = (kind: string): Script => {
    return () => {
      ran.push(kind)
      return done()
    }
  }
  const busy = scriptedKind(noting('busy'), { kind: 'busy', lane: 'removals' })
  const rare = scriptedKind(noting('rare'), { kind: 'rare', lane: 'removals' })
  const kinds = [bind(busy), bind(rare)]
  await tasks.database.write(async (tx) => {
    for (let i = 0; i < 10; i++) await runSql(tx, insertDue, 'busy')
    for (let i = 0; i < 2; i++) await runSql(tx, insertDue, 'rare')
  })
  await using _svc = await startEngine(tasks, { kinds, lanes: [lane('removals', 1)] })
  await tasks.clock.advance(pollMs)
  expect(ran.slice(0, 4)).toEqual(['busy', 'rare', 'busy', 'rare'])
  expect(ran.length).toBe(12)
})

const insertDue = `insert into tasks (kind, subject_type, subject_key, args, status, run_at, created_at, updated_at)
  values (?, 'thing', 'a', '{"name":"a"}', 'pending', 0, 0, 0)`

test('due work of a full lane causes no extra polls', async () => {
  await using tasks = await openTasks()
  const runs = createRuns()
  const cleanup = scriptedKind(runs.script('cleanup'), { kind: 'cleanup', lane: 'removals' })
  const { database, take: takeWrites } = countWrites(tasks.database)
  await using svc = await startEngine(tasks, {
    kinds: [bind(cleanup)],
    lanes: [lane('removals', 1)],
    deps: { database },
  })
  for (let i = 0; i < 3; i++) await svc.enqueue(cleanup)
  await tasks.clock.advance(claimGapMs)
  expect(runs.running()).toEqual(['cleanup'])
  takeWrites()
  await tasks.clock.advance(pollMs - 1)
  expect(takeWrites()).toBe(0)
  // One poll per interval.
  await tasks.clock.advance(1)
  expect(takeWrites()).toBe(1)
  runs.endAll()
})

test.each([
  [0, undefined, 1],
  [3, undefined, 4],
  [0, 2, 2],
])(
  'with %i retries, and %s attempts of its kind, a task that keeps failing waits for an operator after %i',
  async (max_retries, attempts, failures) => {
    await using tasks = await openTasks()
    const failing: Script = () => {
      throw new Error('no')
    }
    const kind = scriptedKind(failing, attempts === undefined ? {} : { attempts })
    await using svc = await startEngine(tasks, { kinds: [bind(kind)], deps: { settings: { ...settings, max_retries } } })
    const id = await svc.enqueue(kind)
    await tasks.clock.advance(3_600_000)
    expect(await readTask(tasks, id)).toMatchObject({ status: 'failed', attempts: failures, error_code: 'attempts_exhausted' })
    expect(svc.engine.control.kinds().get('work')).toMatchObject({ attemptsMax: failures })
  },
)

test.each([
  ['of a lane that no plugin defines', [], "the task kind 'cleanup' runs in the lane 'removals', which no enabled plugin defines"],
  ['with two lanes of one name', [lane('removals', 1), lane('removals', 2)], "two plugins define the task lane 'removals'"],
])('an engine with a kind %s does not start, and runs no recovery', async (_what, lanes, message) => {
  await using tasks = await openTasks()
  let recoveries = 0
  const recovery = defineRecovery({ name: 'recovery', uses: {}, run: async () => void recoveries++ })
  const cleanup = scriptedKind(() => done(), { kind: 'cleanup', lane: 'removals' })
  await expect(startEngine(tasks, { kinds: [bind(cleanup)], lanes, recoveries: [bind(recovery)] })).rejects.toThrow(message)
  expect(recoveries).toBe(0)
})
