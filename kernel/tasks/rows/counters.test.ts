import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type NoParams, sqlStatement } from '../../db/statement.ts'
import { describeOnEngines } from '../../testing/on-engines.ts'
import { createTaskControl } from '../engine/create-control.ts'
import { KnownKinds } from '../engine/known-kinds.ts'
import { bind, finished, openTasks, scriptedKind, type TestTasks, wrongCounters } from '../testing/test-engine.ts'
import type { Ending } from './ending-policy.ts'
import { endRun } from './ending-store.ts'
import { claimTasks, type Lease, releaseLeases } from './lease-store.ts'
import { createTaskQueue } from './queue-store.ts'
import { deleteExpired } from './retention-store.ts'

const kinds = [scriptedKind(finished), scriptedKind(finished, { kind: 'other' })] as const
const free = new Map(kinds.map(({ kind }) => [kind, 3]))

const endings: readonly Ending[] = [
  { kind: 'done' },
  { kind: 'wait', reason: 'funding', message: null, untilMs: 1, hasProgressed: true },
  { kind: 'retry', code: 'fault', message: 'no', runAtMs: 1, failures: 1 },
  { kind: 'fail', code: 'rejected', message: 'no', isRetryable: true },
  { kind: 'hand-back' },
]

const nth = fc.nat(30)

/** One operation. `nth` selects the task or lease it applies to. */
const step = fc.record({
  what: fc.constantFrom(
    'enqueue',
    'enqueue',
    'claim',
    'claim',
    'end',
    'end',
    'end',
    'retry',
    'acknowledge',
    'acknowledge all',
    'hand back',
    'sweep',
    'pass',
  ),
  nth,
  ending: fc.constantFrom(...endings),
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const failedIds = sqlStatement<NoParams, { id: number }>("select id from tasks where status = 'failed' order by id desc")

/** Performs steps, also with leases that are already lost. */
function createPlayer(tasks: TestTasks) {
  const { clock, database } = tasks
  const known = new KnownKinds(2)
  known.add(kinds.map((kind) => bind(kind)))
  const queue = createTaskQueue(clock, () => {})
  const control = createTaskControl({ clock, kinds: known, onRetried: () => {} })
  const leases: Lease[] = []
  const failed = async (nth: number) => (await database.read.all(failedIds))[nth % 6]
  const moves: Readonly<Record<Step['what'], (step: Step) => unknown>> = {
    enqueue({ nth }) {
      const key = nth % 3 === 0 ? {} : { key: `${nth % 2}:${nth % 5}` }
      const kind = nth % 2 === 0 ? kinds[0] : kinds[1]
      return database.write((tx) => queue.add(tx, kind, { name: 'a' }, { runAtMs: clock.now() + nth, ...key }))
    },
    async claim({ nth }) {
      const nowMs = clock.now()
      const request = { free, total: 1 + (nth % 4), owner: 'me', nowMs, lease: { nowMs, untilMs: nowMs + 100 } }
      const claimed = await database.write((tx) => claimTasks(tx, request))
      leases.push(...claimed.map(({ id, kind, leaseSeq }) => ({ id, kind, seq: leaseSeq })))
    },
    end({ nth, ending }) {
      const lease = leases[nth % Math.max(leases.length, 1)]
      return lease && database.write((tx) => endRun(tx, lease, ending, clock.now()))
    },
    async retry({ nth }) {
      const task = await failed(nth)
      // A newer task may have the key: then the refusal must change nothing.
      return task && database.write((tx) => control.retry(tx, task.id))
    },
    async acknowledge({ nth }) {
      const task = await failed(nth)
      return task && database.write((tx) => control.acknowledge(tx, task.id))
    },
    'acknowledge all': () =>
      database.write(async (tx) => control.acknowledgeBefore(tx, { beforeMs: await control.markFailures(tx), limit: 100 })),
    'hand back': () => database.write((tx) => releaseLeases(tx, 'me', clock.now())),
    sweep: () => database.write((tx) => deleteExpired(tx, clock.now(), 3)),
    pass: ({ nth }) => clock.advance(5 * nth),
  }
  return (step: Step) => moves[step.what](step)
}

/** Rows that violate an invariant of the task table. */
const brokenRows = sqlStatement<NoParams, { id: number }>(
  `select id from tasks where (status = 'running') <> (lease_until is not null) or (status = 'failed') <> (failed_at is not null)
   or (acknowledged_at is not null and status <> 'failed') or (status in ('completed', 'failed')) <> (finished_at is not null)`,
)

await describeOnEngines('the engine', (engine) => {
  test('after any sequence of operations the counters equal a count of the table', async () => {
    await using tasks = await openTasks(engine)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const play = createPlayer(tasks)
        for (const one of steps) {
          await play(one)
          expect(await wrongCounters(tasks)).toEqual([])
        }
        expect(await tasks.database.read.all(brokenRows)).toEqual([])
      }),
      { numRuns: engine.dialect === 'sqlite' ? 60 : 15 },
    )
  })
})
