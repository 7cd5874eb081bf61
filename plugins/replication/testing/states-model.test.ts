/**
 * I-29 over the whole table of copy state, batch state, data set state and event, on the real stores and decisions. To run more:
 * `SVC_MODEL_RUNS=2000 npm test -- plugins/replication/testing/states-model.test.ts`; SVC_MODEL_SEED repeats the seed that a failure names.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations, reportedStuck, stuckCopies, surplusPieces, unsettledCopies } from './model-checks.ts'
import { applyEvent, type ModelEvent, modelEvents } from './model-events.ts'
import { ModelRun } from './model-run.ts'
import { dataSetStarts, isPossible, starts } from './model-starts.ts'
import { openStorageRows, type StorageRows } from './storage-rows.ts'

const runs = Number(process.env.SVC_MODEL_RUNS ?? 25)
const seed = Number(process.env.SVC_MODEL_SEED ?? 20261122)
const hourMs = 3_600_000
const eventsMax = 7

let rows: StorageRows
let dir: string
let pieceCids: readonly string[]

beforeAll(async () => {
  // The directory is in memory where the system has one: thousands of durable commits would only measure the disk.
  dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'svc-states-'))
  rows = await openStorageRows({ dir })
  const contents = await Promise.all(
    Array.from({ length: starts.length + eventsMax }, (_, index) => rows.addContent({ bytes: Buffer.alloc(200, index) })),
  )
  pieceCids = contents.map(({ pieceCid }) => pieceCid as string)
})

afterAll(async () => {
  await rows[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

interface InitialState {
  readonly starts: readonly (typeof starts)[number][]
  readonly dataSet: (typeof dataSetStarts)[number]
}

/** Runs the events, each followed by some time: no copy is stuck after any of them, and after the faults end every copy comes to rest. */
async function play(begin: InitialState, events: readonly ModelEvent[]) {
  const possible = begin.starts.filter((start) => isPossible(start, begin.dataSet))
  const run = await ModelRun.begin(rows, { dataSet: begin.dataSet, starts: possible, pieceCids })
  for (const event of events) {
    await applyEvent(run, event)
    expect(await stuckCopies(run)).toEqual([])
    expect(await reportedStuck(run)).toEqual([])
    expect(await findViolations(run)).toEqual([])
  }
  run.endFaults()
  const isAtRest = async () => (await unsettledCopies(run)).length === 0 && (await surplusPieces(run)).length === 0
  for (let retries = 0; retries < 3 && !(await isAtRest()); retries++) {
    run.tasks.retryFailed()
    await run.run(4 * hourMs, isAtRest)
  }
  expect(await unsettledCopies(run)).toEqual([])
  expect(await surplusPieces(run)).toEqual([])
  expect(await stuckCopies(run)).toEqual([])
  expect(await reportedStuck(run)).toEqual([])
  expect(await findViolations(run)).toEqual([])
}

const table = dataSetStarts.flatMap((dataSet) => modelEvents.map((kind) => ({ dataSet, kind })))

test.each(table)('I-29: data set $dataSet, then $kind: copies in every state come to rest', async ({ dataSet, kind }) => {
  await play({ starts, dataSet }, [{ kind, forMs: 20_000 }])
})

const event = fc.record({ kind: fc.constantFrom(...modelEvents), forMs: fc.constantFrom(500, 5000, 60_000, hourMs) })

test('I-29: copies come to rest or need an operator after any sequence of events', { timeout: 600_000 }, async () => {
  const begin = fc.record({
    starts: fc.array(fc.constantFrom(...starts), { minLength: 1, maxLength: 4 }),
    dataSet: fc.constantFrom(...dataSetStarts),
  })
  await fc.assert(fc.asyncProperty(begin, fc.array(event, { maxLength: eventsMax }), play), { numRuns: runs, seed })
})
