import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows } from '#kernel/testing'
import type { ProviderClient } from '#plugins/providers'
import { notSent, ok, uncertain } from '../../../providers/testing/index.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { pausedUntilMs } from '../../datasets/refusal-store.ts'
import { openBatches } from '../../testing/open-batches.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../../testing/test-pipeline.ts'
import { commitPieces } from './commit-pieces.ts'

let rows: StorageRows
let deps: TestPipeline
let dataSet: DataSet
let stop: AbortController
/** Number of piece lookups at the provider. */
let lookups: number

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  dataSet = await rows.addDataSet()
  for (let i = 0; i < 3; i++) await rows.addCopy(await rows.addContent(), dataSet, 'parked')
  await deps.clock.advance(deps.pace.batchingWindowMs)
  stop = new AbortController()
  lookups = 0
})

afterEach(() => rows[Symbol.asyncDispose]())

/** Refuses every addition, for instance because the provider no longer has the pieces. */
function refuse(client: Partial<ProviderClient> = {}): void {
  deps.world.client = {
    addPieces: async () => notSent({ reason: 'invalid', status: 400, detail: 'no' }),
    additionStatus: async () => ok({ state: 'pending' }),
    findPiece: async () => ok({ isFound: false }),
    ...client,
  }
}

/** Behaves as the client: a call ends at once when its signal aborts. */
const findUntilStopped: ProviderClient['findPiece'] = async (_pieceCid, options) => {
  lookups += 1
  stop.abort(new Error('the service stops'))
  return options?.signal?.aborted ? uncertain({ reason: 'aborted', detail: 'stop' }) : ok({ isFound: true })
}

const commit = (signal = stop.signal) => commitPieces(deps, dataSet.id, signal)
const batches = () => openBatches(rows.database.read, dataSet.id)
const copyStates = async () =>
  (await allRows<{ state: string }>(rows.database.read, 'select state from copies order by id')).map(({ state }) => state)

test('I-07: a run that is aborted while it looks up the pieces of a refused batch stops there and counts no refusal', async () => {
  refuse({ findPiece: findUntilStopped })
  await expect(commit()).rejects.toThrow('the service stops')
  expect(lookups).toBe(1)
  expect(await batches()).toMatchObject([{ state: 'ready', checks: 0, reasonCode: null }])
})

test('an addition that a stop of the service kept from being sent counts no refusal, and is sent unchanged by the next run', async () => {
  refuse({
    addPieces: async () => {
      stop.abort(new Error('the service stops'))
      return notSent({ reason: 'aborted', detail: 'stop' })
    },
    findPiece: findUntilStopped,
  })
  await expect(commit()).rejects.toThrow('the service stops')
  expect(lookups).toBe(0)
  expect(await batches()).toMatchObject([{ state: 'ready', checks: 0, reasonCode: null }])
  refuse({ addPieces: async () => ok({ txHash: `0x${'ab'.repeat(32)}` }) })
  await commit(new AbortController().signal)
  expect(await batches()).toMatchObject([{ state: 'submitted' }])
})

test('I-29: a run that is aborted while it closes a withdrawn batch leaves the batch to the next run', async () => {
  refuse()
  await commit()
  deps.world.sent = { pooled: 5, final: 5 }
  await deps.clock.advance(deps.pace.handlingMs)
  await commit()
  refuse({ findPiece: findUntilStopped })
  await deps.clock.advance(deps.pace.handlingMs)
  await expect(commit()).rejects.toThrow('the service stops')
  expect([lookups, await pausedUntilMs(rows.database.read, dataSet.id)]).toEqual([1, 0])
  expect(await copyStates()).toEqual(['unconfirmed', 'unconfirmed', 'unconfirmed'])
  refuse()
  await commit(new AbortController().signal)
  expect(await copyStates()).toEqual(['planned', 'planned', 'planned'])
})
