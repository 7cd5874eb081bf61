import { afterEach, beforeEach, expect, test } from 'vitest'
import { getRow } from '#kernel/testing'
import { type AvailableProvider, type CreateDataSetCall, type ProviderClient, pieceBytesMax } from '#plugins/providers'
import { notSent, ok, uncertain } from '../../providers/testing/index.ts'
import { planDataSets } from '../copies/placing/plan-data-sets.ts'
import { findCopy } from '../copies/records/copy-store.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, waitOf } from '../testing/test-pipeline.ts'
import { currentDataSets, type DataSet, findDataSet } from './data-set-store.ts'
import { ensureDataSet } from './ensure-data-set.ts'

const { signal } = new AbortController()
const hash = `0x${'ab'.repeat(32)}` as const
type Answer = Awaited<ReturnType<ProviderClient['createDataSet']>>

const accepted: Answer = ok({ txHash: hash })
const lost: Answer = uncertain({ reason: 'connection_lost', detail: 'reset' })

let rows: StorageRows
let deps: TestPipeline
let id: number
let calls: CreateDataSetCall[]

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  id = (await rows.addDataSet({ state: 'planned' })).id
  calls = []
})

afterEach(() => rows[Symbol.asyncDispose]())

function answer(...answers: readonly Answer[]): void {
  deps.world.client = {
    createDataSet: async (call) => {
      calls.push(call)
      return answers[Math.min(calls.length, answers.length) - 1] as Answer
    },
    creationStatus: async () => ok({ state: 'pending' }),
  }
}

const ensure = () => ensureDataSet(deps, id, signal)
const dataSet = () => findDataSet(rows.database.read, id)

test('a creation is sent once, and its data set is ready when the chain has its nonce', async () => {
  answer(accepted)
  for (let round = 0; round < 3; round++) expect(waitOf(await ensure(), deps.clock).reason).toBe('target_creating')
  expect(calls).toHaveLength(1)
  expect(await dataSet()).toMatchObject({ state: 'creating', createTx: hash })
  expect(await getRow(rows.database.read, 'select create_price_list as prices from data_sets where id = ?', id)).toEqual({
    prices: 'today',
  })
  await rows.addContent()
  deps.world.nonce = { landed: true, dataSetId: 77n }
  expect(await ensure()).toEqual({ kind: 'done' })
  expect(await dataSet()).toMatchObject({ state: 'ready', chainId: 77n })
  expect(deps.scheduled).toEqual(['store 1', 'verify landings'])
  // One event is of the creation, one of the ready data set.
  const news = { topic: 'bucket_updated', payload: { bucket_name: 'photos' } }
  expect(deps.published).toEqual([news, news])
  expect(await ensure()).toEqual({ kind: 'done' })
})

test('I-08: a provider that does not answer gets no creation before its probe', async () => {
  answer(accepted)
  for (let call = 0; call < 3; call++) {
    using turn = deps.providers.turns.take((await dataSet())?.serviceUrl ?? '', 'mutation')
    turn.record(lost)
  }
  expect(waitOf(await ensure(), deps.clock)).toEqual({ reason: 'provider', forMs: deps.pace.epochMs })
  expect([calls, (await dataSet())?.state]).toEqual([[], 'planned'])
  await deps.clock.advance(deps.pace.epochMs)
  await ensure()
  expect(calls).toHaveLength(1)
})

test('I-05: a creation without an answer is looked up, and sent again only as the same bytes after proof', async () => {
  answer(lost)
  await ensure()
  deps.world.sent = { pooled: 4, final: 3 }
  await deps.clock.advance(deps.pace.handlingMs)
  for (let round = 0; round < 3; round++) await ensure()
  expect(calls).toHaveLength(1)
  deps.world.sent = { pooled: 9, final: 4 }
  await ensure()
  expect((await dataSet())?.state).toBe('planned')
  await ensure()
  expect(calls).toHaveLength(2)
  expect(calls[1]).toEqual(calls[0])
})

test('a creation that failed on chain uses an attempt, and is sent again with the same bytes', async () => {
  answer(accepted)
  await ensure()
  deps.world.client = { ...deps.world.client, creationStatus: async () => ok({ state: 'failed' }) }
  await ensure()
  await expect(ensure()).rejects.toMatchObject({ code: 'chain_reverted' })
  await ensure()
  expect(calls[1]).toEqual(calls[0])
})

test('I-08: without funds or with an unreachable provider the task waits, and the data set stays planned', async () => {
  answer(notSent({ reason: 'unreachable', step: 'connect', detail: 'refused' }))
  deps.world.funding = { isCovered: false, because: 'deposit', message: 'deposit more' }
  expect(waitOf(await ensure(), deps.clock)).toEqual({ reason: 'funding', forMs: deps.pace.fundingMs })
  expect(calls).toEqual([])
  deps.world.funding = { isCovered: true }
  expect(waitOf(await ensure(), deps.clock).reason).toBe('provider')
  expect((await dataSet())?.state).toBe('planned')
})

test('a refused creation uses an attempt', async () => {
  answer(notSent({ reason: 'unauthorized', status: 403, detail: 'no' }))
  await expect(ensure()).rejects.toMatchObject({ code: 'provider_unauthorized' })
  expect((await dataSet())?.state).toBe('planned')
})

test('a creation whose nonce is already used is looked up on chain', async () => {
  answer({ kind: 'landed' })
  expect(waitOf(await ensure(), deps.clock).reason).toBe('target_creating')
  deps.world.nonce = { landed: true, dataSetId: 5n }
  expect(await ensure()).toEqual({ kind: 'done' })
  expect(await dataSet()).toMatchObject({ state: 'ready', chainId: 5n })
})

const provider = (providerId: string): AvailableProvider => ({
  providerId,
  isEndorsed: true,
  latencyMs: 1,
  address: '0x1',
  payee: '0x2',
  serviceUrl: `http://provider-${providerId}`,
  name: `provider ${providerId}`,
  pieceBytesMax,
})
const unreachable: Answer = notSent({ reason: 'unreachable', step: 'connect', detail: 'refused' })
const current = async () =>
  (await currentDataSets(rows.database.read, 1)).map(({ providerId, generation, state }) => ({ providerId, generation, state }))

test('a provider that was unreachable before it received the creation is replaced, and its planned copies move', async () => {
  answer(unreachable)
  const copyId = await rows.addCopy(await rows.addContent(), (await dataSet()) as DataSet)
  deps.world.available = [provider('7')]
  expect(await ensure()).toEqual({ kind: 'done' })
  expect((await dataSet())?.state).toBe('abandoned')
  expect(await current()).toEqual([{ providerId: '7', generation: 2, state: 'planned' }])
  expect(await findCopy(rows.database.read, copyId)).toMatchObject({ dataSetId: 2, state: 'planned' })
  expect(deps.scheduled).toEqual(['ensure 2'])
  // Twice in the transaction that gives the slot to another provider.
  expect(deps.published.map(({ topic }) => topic)).toEqual(Array(4).fill('bucket_updated'))
  expect(await ensure()).toEqual({ kind: 'done' })
})

test('the task waits for a provider that still answers pings, or that has no replacement', async () => {
  answer(unreachable)
  deps.world.available = [provider('1'), provider('7')]
  expect(waitOf(await ensure(), deps.clock).reason).toBe('provider')
  deps.world.available = []
  expect(waitOf(await ensure(), deps.clock).reason).toBe('provider')
  expect(await current()).toEqual([{ providerId: '1', generation: 1, state: 'planned' }])
})

test('I-24: a creation that its provider may have received keeps its nonce and provider', async () => {
  answer(lost, unreachable)
  deps.world.available = [provider('7')]
  await ensure()
  deps.world.sent = { pooled: 4, final: 4 }
  await deps.clock.advance(deps.pace.handlingMs)
  for (let round = 0; round < 3; round++) await ensure()
  expect(calls).toHaveLength(2)
  expect(await current()).toEqual([{ providerId: '1', generation: 1, state: 'planned' }])
})

test('a provider that was replaced before it received a creation may serve the bucket later', async () => {
  answer(unreachable)
  deps.world.available = [provider('7')]
  await ensure()
  deps.world.available = [provider('1')]
  await planDataSets(deps, { contentId: 1, bucketId: 1, targetCopies: 2, size: 1000 })
  expect((await current()).map(({ providerId }) => providerId)).toEqual(['7', '1'])
})
