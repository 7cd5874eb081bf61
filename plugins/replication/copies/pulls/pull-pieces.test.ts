import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import { type ProviderClient, type PullCall, type PullState, pieceBytesMax } from '#plugins/providers'
import { notSent, ok, uncertain } from '../../../providers/testing/index.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { openBatches } from '../../testing/open-batches.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, waitOf } from '../../testing/test-pipeline.ts'
import { pullPieces } from './pull-pieces.ts'

const { signal } = new AbortController()
type Answer = Awaited<ReturnType<ProviderClient['pull']>>

const throttled: Answer = notSent({ reason: 'throttled', retryAfterMs: 60_000, detail: 'later' })
const broken: Answer = uncertain({ reason: 'server_error', status: 500, detail: 'oops' })

let rows: StorageRows
let deps: TestPipeline
let source: DataSet
let target: DataSet
let calls: PullCall[]

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  source = await rows.addDataSet()
  target = await rows.addDataSet()
  calls = []
})

afterEach(() => rows[Symbol.asyncDispose]())

/** Answers each call with the states of its pieces, in order, or with this answer; the last one repeats. */
function answer(...answers: readonly (readonly PullState[] | Answer)[]): void {
  deps.world.client = {
    pull: async (call) => {
      calls.push(call)
      const next = answers[Math.min(calls.length, answers.length) - 1] as readonly PullState[] | Answer
      if (!Array.isArray(next)) return next as Answer
      return ok({ status: 'complete', pieces: call.pieces.map(({ pieceCid }, i) => ({ pieceCid, status: next[i] ?? 'pending' })) })
    },
    pieceUrl: (pieceCid) => `http://source/${pieceCid}`,
  }
}

async function planPulls(count: number, state: 'parked' | 'committed' = 'committed') {
  for (let i = 0; i < count; i++) {
    const content = await rows.addContent()
    await rows.addCopy(content, source, state)
    await rows.addCopy(content, target)
  }
}

/** Three calls to the provider without an answer. */
function makeUnresponsive(serviceUrl: string): void {
  for (let call = 0; call < 3; call++) {
    using turn = deps.providers.turns.take(serviceUrl, 'mutation')
    turn.record(uncertain({ reason: 'timeout', detail: 'late' }))
  }
}

const pull = () => pullPieces(deps, target.id, signal)
const copyStates = async () =>
  (await allRows<{ state: string }>(rows.database.read, 'select state from copies where data_set_id = ? order by id', target.id)).map(
    ({ state }) => state,
  )
const batches = async () => (await openBatches(rows.database.read, target.id)).map(({ state }) => state)

test('I-29: a copy whose retry is due while the candidates are read is waited for', async () => {
  await planPulls(1)
  const dueMs = deps.clock.now() + 5
  await rows.database.write((tx) => runSql(tx, 'update copies set next_attempt_at = ? where data_set_id = ?', dueMs, target.id))
  const { read } = rows.database
  const all: typeof read.all = async (statement, ...params) => {
    const found = await read.all(statement, ...params)
    if ('nowMs' in (params[0] ?? {})) await deps.clock.advance(10)
    return found
  }
  const slow = { ...deps, database: { ...rows.database, read: { get: read.get.bind(read), all } } } as TestPipeline
  expect(await pullPieces(slow, target.id, signal)).toMatchObject({ kind: 'wait' })
})

test('no more is pulled while four batches of pulled pieces wait to be added, unless they were refused', async () => {
  for (let batch = 1; batch <= 4; batch++) {
    answer(['complete'])
    await planPulls(1)
    await pull()
  }
  expect(await batches()).toEqual(['ready', 'ready', 'ready', 'ready'])
  await planPulls(1)
  expect(waitOf(await pull(), deps.clock)).toMatchObject({ reason: 'confirmation', forMs: deps.pace.epochMs })
  expect((await copyStates()).at(-1)).toBe('planned')
  const laterMs = deps.clock.now() + deps.pace.epochMs
  await rows.database.write((tx) => runSql(tx, 'update commit_batches set next_check_at = ?', laterMs))
  expect(await pull()).toEqual({ kind: 'done' })
  expect(await batches()).toHaveLength(5)
})

test('when all pieces arrived they are committed with the signature of the pull', async () => {
  answer(['inProgress', 'pending'], ['complete', 'complete'])
  await planPulls(2)
  expect(waitOf(await pull(), deps.clock).reason).toBe('provider_pulling')
  expect(deps.uploads.lastMovedMs()).toBe(deps.clock.now())
  expect(await pull()).toEqual({ kind: 'done' })
  expect(calls[1]).toEqual(calls[0])
  expect(await batches()).toEqual(['ready'])
  expect(await copyStates()).toEqual(['batched', 'batched'])
  expect(deps.scheduled).toEqual(['commit 2', 'pull 2'])
})

test('I-08: a provider that does not answer gets no pull before its probe', async () => {
  answer(['complete'])
  await planPulls(1)
  makeUnresponsive(target.serviceUrl)
  expect(waitOf(await pull(), deps.clock)).toEqual({ reason: 'provider', forMs: deps.pace.epochMs })
  expect(calls).toEqual([])
  await deps.clock.advance(deps.pace.epochMs)
  expect(await pull()).toEqual({ kind: 'done' })
})

test('a piece that is deleted while its pull is prepared does not delay the others', async () => {
  answer(['complete', 'complete'])
  await planPulls(3)
  vi.spyOn(deps.funds, 'canPay').mockImplementationOnce(async () => {
    await rows.database.write((tx) => runSql(tx, "update copies set state = 'removed' where data_set_id = ? and content_id = 1", target.id))
    return { isCovered: true }
  })
  expect(waitOf(await pull(), deps.clock)).toEqual({ reason: 'retry', forMs: 0 })
  expect(await pull()).toEqual({ kind: 'done' })
  expect(await copyStates()).toEqual(['removed', 'batched', 'batched'])
})

test('I-25: a copy in a pull changes its state only through that pull', async () => {
  answer([])
  await planPulls(1)
  await pull()
  const [copy] = await allRows<{ id: number }>(rows.database.read, 'select id from copies where data_set_id = ?', target.id)
  const own = { ids: [copy?.id ?? 0], batchId: null }
  await rows.database.write(async (tx) => {
    await deps.states.copies.apply(tx, 'upload_failed', own, { code: 'late', message: 'an answer of an earlier run' })
    await deps.states.copies.apply(tx, 'stored', own)
  })
  expect(await copyStates()).toEqual(['transferring'])
})

test('a pull has at most 40 pieces', async () => {
  answer([])
  await planPulls(41)
  await pull()
  expect(calls[0]?.pieces).toHaveLength(40)
})

test('the pieces of a pull have at most the bytes of the largest piece, so that large ones arrive one by one', async () => {
  answer(['complete', 'complete'])
  await planPulls(4)
  const setLength = (contentId: number, length: number) =>
    rows.database.write((tx) => runSql(tx, 'update pieces set length = ? where content_id = ?', length, contentId))
  await setLength(1, pieceBytesMax - 100)
  await setLength(2, 100)
  await setLength(3, pieceBytesMax)
  for (let round = 0; round < 3; round++) {
    await pull()
    await rows.database.write((tx) => runSql(tx, "update commit_batches set state = 'closed'"))
  }
  expect(calls.map(({ pieces }) => pieces.length)).toEqual([2, 1, 1])
})

test('when some pieces failed, the others are parked for a new batch and the failed ones are planned for later', async () => {
  answer(['complete', 'failed', 'complete'])
  await planPulls(3)
  await pull()
  expect(await batches()).toEqual([])
  expect(await copyStates()).toEqual(['parked', 'planned', 'parked'])
  expect(deps.scheduled).toEqual(['commit 2', 'store 2', 'pull 2'])
  expect(waitOf(await pull(), deps.clock).reason).toBe('retry')
  expect(calls).toHaveLength(1)
})

test('a pull that does not end is closed after its limit', async () => {
  answer(['complete', 'retrying'])
  await planPulls(2)
  await pull()
  await deps.clock.advance(deps.pace.pullLimitMs + 1)
  await pull()
  expect(await copyStates()).toEqual(['parked', 'planned'])
})

test('a pull that gets only errors is closed after the same limit', async () => {
  answer(broken)
  await planPulls(1)
  expect(waitOf(await pull(), deps.clock).reason).toBe('provider')
  await deps.clock.advance(deps.pace.pullLimitMs + 1)
  expect(waitOf(await pull(), deps.clock).reason).toBe('provider')
  expect(await batches()).toEqual([])
  expect(await copyStates()).toEqual(['planned'])
})

test('I-08: after a 429 the pull is not sent before Retry-After, even when the task runs earlier', async () => {
  answer(throttled, ['complete'])
  await planPulls(1)
  expect(waitOf(await pull(), deps.clock)).toEqual({ reason: 'provider_busy', forMs: 60_000 })
  await deps.clock.advance(20_000)
  expect(waitOf(await pull(), deps.clock)).toEqual({ reason: 'provider_busy', forMs: 40_000 })
  expect(calls).toHaveLength(1)
  await deps.clock.advance(40_000)
  expect(await pull()).toEqual({ kind: 'done' })
  expect(calls[1]).toEqual(calls[0])
})

test('I-08: without funds the task waits before it signs', async () => {
  answer([])
  deps.world.funding = { isCovered: false, because: 'deposit', message: 'deposit more' }
  await planPulls(1)
  expect(waitOf(await pull(), deps.clock).reason).toBe('funding')
  expect(await batches()).toEqual([])
  expect(calls).toEqual([])
})

test('a pull whose nonce is already used goes to the commit task, which reads the outcome on chain', async () => {
  answer({ kind: 'landed' })
  await planPulls(1)
  expect(await pull()).toEqual({ kind: 'done' })
  expect(await batches()).toEqual(['ready'])
  expect(deps.scheduled).toEqual(['commit 2', 'pull 2'])
})

test('a refused pull is an attempt, and its pieces are planned for later', async () => {
  answer(notSent({ reason: 'invalid', status: 400, detail: 'no' }))
  await planPulls(2)
  await expect(pull()).rejects.toMatchObject({ code: 'provider_invalid' })
  expect(await batches()).toEqual([])
  expect(await copyStates()).toEqual(['planned', 'planned'])
})

test('the task waits for a data set in creation and does nothing for one that ended', async () => {
  answer([])
  await planPulls(1)
  await rows.database.write((tx) => runSql(tx, "update data_sets set state = 'creating' where id = ?", target.id))
  expect(waitOf(await pull(), deps.clock).reason).toBe('data_set')
  await rows.database.write((tx) => runSql(tx, "update data_sets set state = 'write_blocked' where id = ?", target.id))
  expect(await pull()).toEqual({ kind: 'done' })
  expect(calls).toEqual([])
})

test('equal pieces are pulled one after the other', async () => {
  answer([])
  const bytes = Buffer.from('the same bytes')
  for (let i = 0; i < 2; i++) {
    const content = await rows.addContent({ bytes })
    await rows.addCopy(content, source, 'committed')
    await rows.addCopy(content, target)
  }
  await pull()
  expect(calls[0]?.pieces).toHaveLength(1)
})

test('a pull without any source left is not sent, and the store tasks check the cache', async () => {
  answer([])
  await planPulls(2)
  await pull()
  await rows.database.write((tx) => runSql(tx, "update copies set state = 'lost' where data_set_id = ?", source.id))
  deps.world.client = { ...deps.world.client, findPiece: async () => ok({ isFound: false }) }
  deps.scheduled.length = 0
  expect(waitOf(await pull(), deps.clock)).toEqual({ reason: 'source', forMs: 0 })
  expect(calls).toHaveLength(1)
  expect(await batches()).toEqual([])
  expect(await copyStates()).toEqual(['planned', 'planned'])
  expect(deps.scheduled).toEqual(['store 1', 'store 2'])
  expect(await pull()).toEqual({ kind: 'done' })
})

test('a pull that lost some of its sources is replaced by one for the rest, and arrived pieces are parked', async () => {
  answer([])
  await planPulls(3)
  await pull()
  await rows.database.write((tx) =>
    runSql(tx, "update copies set state = 'lost' where data_set_id = ? and content_id in (1, 2)", source.id),
  )
  const [arrived] = calls[0]?.pieces ?? []
  deps.world.client = { ...deps.world.client, findPiece: async (cid) => ok({ isFound: cid === arrived?.pieceCid }) }
  await pull()
  expect(await copyStates()).toEqual(['parked', 'planned', 'planned'])
  await pull()
  expect(calls.map(({ pieces }) => pieces.length)).toEqual([3, 1])
  expect(calls[1]?.extraData).not.toBe(calls[0]?.extraData)
})

test('after a 429 to a large pull, pulls have at most ten pieces for an hour', async () => {
  answer(throttled, [])
  await planPulls(41)
  expect(waitOf(await pull(), deps.clock)).toEqual({ reason: 'provider_busy', forMs: 60_000 })
  expect(await batches()).toEqual([])
  expect(waitOf(await pull(), deps.clock)).toEqual({ reason: 'provider_busy', forMs: 60_000 })
  await deps.clock.advance(60_000)
  await pull()
  expect(calls.map(({ pieces }) => pieces.length)).toEqual([40, 10])
  const setbacks = await getRow(rows.database.read, 'select sum(setbacks) as n from copies')
  expect(setbacks).toEqual({ n: 0 })
  await deps.clock.advance(2 * 3_600_000)
  await pull()
  await pull()
  expect(calls.at(-1)?.pieces).toHaveLength(31)
})

test('a data set that turns out to have ended at its last refusal needs no operator', async () => {
  answer(notSent({ reason: 'data_set_gone', status: 404, detail: 'unknown' }))
  await planPulls(1)
  await rows.database.write((tx) => runSql(tx, 'update data_sets set refusals = 11 where id = ?', target.id))
  deps.reads.liveness = async () => (calls.length === 0 ? { live: true } : { live: false, reason: 'terminated', endEpoch: 9n })
  expect(waitOf(await pull(), deps.clock).reason).toBe('data_set')
  expect(calls).toHaveLength(1)
  expect(await pull()).toEqual({ kind: 'done' })
})

test('a refused data set that is live on chain gets pulls after growing pauses, and finally the task fails for an operator', async () => {
  answer(notSent({ reason: 'data_set_gone', status: 404, detail: 'unknown' }))
  await planPulls(1)
  let outcome = await pull()
  for (let round = 0; round < 30 && outcome.kind === 'wait'; round++) {
    await deps.clock.advance(waitOf(outcome, deps.clock).forMs)
    outcome = await pull()
  }
  expect(outcome).toMatchObject({ kind: 'fail', code: 'data_set_refused', retryable: true })
  expect(calls).toHaveLength(12)
})

test('the result of a pull is reported with its bytes and time, or as a failure', async () => {
  const reports: unknown[] = []
  deps.providers.report = (url, call) => void reports.push([url, call])
  await planPulls(2)
  answer(['inProgress', 'inProgress'], ['complete', 'complete'])
  await pull()
  expect(reports).toEqual([])
  await deps.clock.advance(deps.pace.pullMs)
  await pull()
  const bytes = expect.any(Number)
  expect(reports).toEqual([[target.serviceUrl, { kind: 'pull', transfer: { bytes, ms: deps.pace.pullMs } }]])
  await planPulls(1)
  reports.length = 0
  calls = []
  answer(['failed'])
  await rows.database.write((tx) => runSql(tx, "update commit_batches set state = 'closed' where data_set_id = ?", target.id))
  await pull()
  expect(reports).toEqual([[target.serviceUrl, { kind: 'pull', failure: { call: 'pull', reason: 'pull_failed' } }]])
})
