import { afterEach, beforeEach, expect, test } from 'vitest'
import { notSent, ok, uncertain } from '../chain/provider-answer.ts'
import type { ProviderClient } from '../chain/provider-client.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { pausedUntilMs } from '../datasets/refusal-store.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { openBatches } from './batch-store.ts'
import { commitPieces } from './commit-pieces.ts'

let rows: StorageRows
let doors: TestPipeline
let dataSet: DataSet
let stop: AbortController
/** Pieces that the provider was asked for. */
let asked: number

beforeEach(async () => {
  rows = await openStorageRows()
  doors = createTestPipeline(rows)
  dataSet = await rows.addDataSet()
  for (let i = 0; i < 3; i++) await rows.addCopy(await rows.addContent(), dataSet, 'parked')
  await doors.clock.advance(doors.pace.lingerMs)
  stop = new AbortController()
  asked = 0
})

afterEach(() => rows[Symbol.asyncDispose]())

/** Refuses every addition, for instance because the pieces are not there any more. */
function refuse(client: Partial<ProviderClient> = {}): void {
  doors.world.client = {
    addPieces: async () => notSent({ reason: 'invalid', status: 400, detail: 'no' }),
    additionStatus: async () => ok({ state: 'pending' }),
    findPiece: async () => ok({ isFound: false }),
    ...client,
  }
}

/** As the client does it: a call whose signal aborts ends at once. */
const findUntilStopped: ProviderClient['findPiece'] = async (_pieceCid, options) => {
  asked += 1
  stop.abort(new Error('the service stops'))
  return options?.signal?.aborted ? uncertain({ reason: 'aborted', detail: 'stop' }) : ok({ isFound: true })
}

const commit = (signal = stop.signal) => commitPieces(doors, dataSet.id, signal)
const batches = () => openBatches(rows.database.read, dataSet.id)
const copyStates = () => rows.database.read.all<{ state: string }>('select state from copies order by id').map(({ state }) => state)

test('I-07: a run that is called off while it looks for the pieces of a refused batch asks for no other, and counts no refusal', async () => {
  refuse({ findPiece: findUntilStopped })
  await expect(commit()).rejects.toThrow('the service stops')
  expect(asked).toBe(1)
  expect(batches()).toMatchObject([{ state: 'ready', checks: 0, reasonCode: null }])
})

test('an addition that the stop of the service kept from being sent is no refusal, and is offered again as it is', async () => {
  refuse({
    addPieces: async () => {
      stop.abort(new Error('the service stops'))
      return notSent({ reason: 'aborted', detail: 'stop' })
    },
    findPiece: findUntilStopped,
  })
  await expect(commit()).rejects.toThrow('the service stops')
  expect(asked).toBe(0)
  expect(batches()).toMatchObject([{ state: 'ready', checks: 0, reasonCode: null }])
  refuse({ addPieces: async () => ok({ txHash: `0x${'ab'.repeat(32)}` }) })
  await commit(new AbortController().signal)
  expect(batches()).toMatchObject([{ state: 'submitted' }])
})

test('I-29: a run that is called off while it gives a withdrawn batch back leaves it to the next run', async () => {
  refuse()
  await commit()
  doors.world.sent = { pooled: 5, final: 5 }
  await doors.clock.advance(doors.pace.handlingMs)
  await commit()
  refuse({ findPiece: findUntilStopped })
  await doors.clock.advance(doors.pace.handlingMs)
  await expect(commit()).rejects.toThrow('the service stops')
  expect([asked, pausedUntilMs(rows.database.read, dataSet.id)]).toEqual([1, 0])
  expect(copyStates()).toEqual(['unconfirmed', 'unconfirmed', 'unconfirmed'])
  refuse()
  await commit(new AbortController().signal)
  expect(copyStates()).toEqual(['planned', 'planned', 'planned'])
})
