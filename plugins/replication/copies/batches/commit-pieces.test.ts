import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { type AddPiecesCall, lookupsAtOnceMax, type ProviderClient } from '#plugins/providers'
import { notSent, ok, uncertain } from '../../../providers/testing/index.ts'
import { dropReferences } from '../../../storage/testing/rows.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { pausedUntilMs } from '../../datasets/refusal-store.ts'
import { openBatches } from '../../testing/open-batches.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, testEpochMs, waitOf } from '../../testing/test-pipeline.ts'
import { commitPieces } from './commit-pieces.ts'

const { signal } = new AbortController()
const hash = `0x${'ab'.repeat(32)}` as const
type Answer = Awaited<ReturnType<ProviderClient['addPieces']>>

const accepted: Answer = ok({ txHash: hash })
const invalid: Answer = notSent({ reason: 'invalid', status: 400, detail: 'no' })
const throttled: Answer = notSent({ reason: 'throttled', retryAfterMs: 60_000, detail: 'later' })
const gone: Answer = notSent({ reason: 'data_set_gone', status: 404, detail: 'unknown' })
const lost: Answer = uncertain({ reason: 'connection_lost', detail: 'reset' })

let rows: StorageRows
let deps: TestPipeline
let dataSet: DataSet
/** Every addition that was sent. */
let additions: AddPiecesCall[]

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  dataSet = await rows.addDataSet()
  additions = []
})

afterEach(() => rows[Symbol.asyncDispose]())

/** Answers of the provider in order; the last one repeats. */
function answer(...answers: readonly Answer[]): void {
  deps.world.client = {
    addPieces: async (call) => {
      additions.push(call)
      return answers[Math.min(additions.length, answers.length) - 1] as Answer
    },
    findPiece: async () => ok({ isFound: true }),
    additionStatus: async () => ok({ state: 'pending' }),
  }
}

async function park(count: number, bytes?: Uint8Array) {
  for (let i = 0; i < count; i++) await rows.addCopy(await rows.addContent(bytes ? { bytes } : {}), dataSet, 'parked')
}

/** Three calls to the provider without an answer. */
function makeUnresponsive(serviceUrl: string): void {
  for (let call = 0; call < 3; call++) {
    using turn = deps.providers.turns.take(serviceUrl, 'mutation')
    turn.record(uncertain({ reason: 'timeout', detail: 'late' }))
  }
}

const commit = () => commitPieces(deps, dataSet.id, signal)
const states = async () => (await openBatches(rows.database.read, dataSet.id)).map(({ state }) => state)
const copyStates = async () =>
  (await allRows<{ state: string }>(rows.database.read, 'select state from copies order by id')).map(({ state }) => state)
/** Until the chain shows that the additions did not land. */
async function untilDecided() {
  deps.world.sent = { pooled: 5, final: 5 }
  for (let round = 0; round < 2; round++) {
    await deps.clock.advance(deps.pace.handlingMs)
    await commit()
  }
}
const passBatchingWindow = () => deps.clock.advance(deps.pace.batchingWindowMs)

test('a single parked piece waits for the batching window, then is sent alone', async () => {
  answer(accepted)
  await park(1)
  expect(waitOf(await commit(), deps.clock)).toEqual({ reason: 'batching', forMs: deps.pace.batchingWindowMs })
  expect(additions).toEqual([])
  await passBatchingWindow()
  expect(waitOf(await commit(), deps.clock).reason).toBe('confirmation')
  expect(additions.map(({ pieces }) => pieces.length)).toEqual([1])
  expect(await allRows(rows.database.read, 'select price_list from commit_batches')).toEqual([{ price_list: 'today' }])
})

test('I-08: nothing is submitted to a provider that does not answer, and sent batches are still resolved on chain', async () => {
  answer(accepted)
  await park(1)
  await passBatchingWindow()
  await commit()
  await park(1)
  await passBatchingWindow()
  makeUnresponsive(dataSet.serviceUrl)
  expect(waitOf(await commit(), deps.clock).reason).toBe('provider')
  expect(additions).toHaveLength(1)
  deps.world.nonce = { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId: 1n }
  await deps.clock.advance(deps.pace.epochMs / 2)
  await commit()
  expect(await copyStates()).toEqual(['committed', 'batched'])
  await deps.clock.advance(deps.pace.epochMs)
  await commit()
  expect(additions).toHaveLength(2)
})

test('I-32: an addition holds its slot at the provider until it is answered', async () => {
  const taken: (string | undefined)[] = []
  const take = () => {
    using one = deps.providers.turns.take(dataSet.serviceUrl, 'mutation')
    using two = deps.providers.turns.take(dataSet.serviceUrl, 'mutation')
    taken.push(one.refusal?.reason, two.refusal?.reason)
  }
  deps.world.client = {
    addPieces: async () => {
      take()
      return accepted
    },
  }
  await park(1)
  await passBatchingWindow()
  await commit()
  take()
  expect(taken).toEqual([undefined, 'provider_busy', undefined, undefined])
})

test('of 41 pieces 40 are sent at once, one waits', async () => {
  answer(accepted)
  await park(41)
  await commit()
  expect(additions.map(({ pieces }) => pieces.length)).toEqual([40])
  await passBatchingWindow()
  await commit()
  expect(additions.map(({ pieces }) => pieces.length)).toEqual([40, 1])
})

test('at most two batches are in flight, each with its own nonce', async () => {
  answer(accepted)
  await park(120)
  const limit = `insert into provider_call_limits values ('${dataSet.providerId}', 'addition', 40, ${deps.clock.now()})`
  await rows.database.write((tx) => runSql(tx, limit))
  for (let round = 0; round < 4; round++) await commit()
  expect(additions.map(({ pieces }) => pieces.length)).toEqual([40, 40])
  const nonces = (await openBatches(rows.database.read, dataSet.id)).map(({ nonce }) => nonce)
  expect(new Set(nonces).size).toBe(nonces.length)
})

test('equal pieces never share an addition', async () => {
  answer(accepted)
  await park(2, Buffer.from('the same bytes'))
  await passBatchingWindow()
  await commit()
  await passBatchingWindow()
  await commit()
  expect(additions.map(({ pieces }) => pieces.length)).toEqual([1, 1])
})

test('I-05: an addition without an answer is looked up, not sent again', async () => {
  answer(lost)
  await park(1)
  await passBatchingWindow()
  await commit()
  for (let round = 0; round < 5; round++) {
    await deps.clock.advance(testEpochMs)
    expect(waitOf(await commit(), deps.clock).reason).toBe('confirmation')
  }
  expect(additions).toHaveLength(1)
  expect(await copyStates()).toEqual(['unconfirmed'])
})

test('I-21: a landed nonce commits the pieces, with ids in the order in which they were signed', async () => {
  answer(accepted)
  await park(3)
  await passBatchingWindow()
  await commit()
  deps.world.nonce = { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId: 12n }
  await deps.clock.advance(testEpochMs)
  expect(await commit()).toEqual({ kind: 'done' })
  const ids = await allRows<{ piece: string; state: string }>(
    rows.database.read,
    'select chain_piece_id as piece, state from copies order by id',
  )
  expect(ids).toEqual(['9', '10', '11'].map((piece) => ({ piece, state: 'committed' })))
  expect(deps.scheduled).toContain('reconcile capacity')
})

test('a nonce that was used for another data set is a fault and needs an operator, and nothing is committed', async () => {
  answer(accepted)
  await park(1)
  await passBatchingWindow()
  await commit()
  deps.world.nonce = { landed: true, dataSetId: 999n, nextPieceId: 1n }
  await deps.clock.advance(testEpochMs)
  await expect(commit()).rejects.toMatchObject({ code: 'submission_mismatch' })
  expect(await copyStates()).toEqual(['attention'])
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([{ state: 'submitted', attentionCode: 'result_mismatch' }])
  // The fault does not end the task, which follows the other batches of the data set.
  await deps.clock.advance(testEpochMs)
  expect(waitOf(await commit(), deps.clock).reason).toBe('confirmation')
})

test('after proof that nothing landed the same bytes are sent again', async () => {
  answer(lost, accepted)
  await park(1)
  await passBatchingWindow()
  await commit()
  deps.world.sent = { pooled: 5, final: 5 }
  await deps.clock.advance(deps.pace.handlingMs)
  await commit()
  await deps.clock.advance(deps.pace.epochMs * 2)
  await commit()
  expect(additions).toHaveLength(2)
  expect(additions[1]).toEqual(additions[0])
})

test('I-05: an addition that becomes final while it is looked up is committed, not sent again', async () => {
  answer(lost)
  await park(1)
  await passBatchingWindow()
  await commit()
  deps.world.sent = { pooled: 5, final: 4 }
  await deps.clock.advance(deps.pace.handlingMs)
  await commit()
  const landed = { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId: 1n } as const
  // The block arrives after the first nonce read and before the sender's count.
  deps.world.sent = { pooled: 5, final: 5 }
  deps.world.nonce = landed
  vi.spyOn(deps.reads, 'nonceOutcome').mockResolvedValueOnce({ landed: false })
  await deps.clock.advance(deps.pace.epochMs * 2)
  await commit()
  expect(additions).toHaveLength(1)
  expect(await copyStates()).toEqual(['committed'])
})

test('receipt_reverted: a transaction that failed on chain counts as an attempt, and its bytes are sent again', async () => {
  answer(accepted)
  await park(1)
  await passBatchingWindow()
  await commit()
  deps.world.client = { ...deps.world.client, additionStatus: async () => ok({ state: 'failed' }) }
  await deps.clock.advance(testEpochMs)
  await commit()
  await deps.clock.advance(testEpochMs)
  await expect(commit()).rejects.toMatchObject({ code: 'chain_reverted' })
  await commit()
  expect(additions).toHaveLength(2)
  expect(additions[1]).toEqual(additions[0])
})

test('an outcome that stays open needs an operator until it is known', async () => {
  answer(lost)
  await park(1)
  await passBatchingWindow()
  await commit()
  deps.world.sent = { pooled: 9, final: 3 }
  await deps.clock.advance(deps.pace.attentionMs)
  for (let round = 0; round < 3; round++) {
    await commit()
    await deps.clock.advance(testEpochMs)
  }
  expect(await copyStates()).toEqual(['attention'])
  deps.world.nonce = { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId: 1n }
  await deps.clock.advance(testEpochMs * 20)
  await commit()
  expect(await copyStates()).toEqual(['committed'])
})

test('a refused batch delays neither the next batch nor the task, and is sent again with the same bytes', async () => {
  answer(invalid, accepted)
  await park(41)
  await passBatchingWindow()
  expect(waitOf(await commit(), deps.clock).reason).toBe('refused')
  await commit()
  expect(additions.map(({ pieces }) => pieces.length)).toEqual([40, 1])
  await deps.clock.advance(testEpochMs * 2)
  await commit()
  expect(additions[2]).toEqual(additions[0])
})

test('a batch that is refused repeatedly needs an operator, and the task does not fail', async () => {
  answer(invalid)
  await park(1)
  await passBatchingWindow()
  for (let round = 0; round < 12; round++) {
    expect((await commit()).kind).toBe('wait')
    await deps.clock.advance(600_000)
  }
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([{ state: 'ready', attentionCode: 'invalid_submission' }])
  expect(await copyStates()).toEqual(['attention'])
})

test('after a 429 nothing is sent before Retry-After, even when the task runs earlier', async () => {
  answer(throttled, accepted)
  await park(1)
  await passBatchingWindow()
  expect(waitOf(await commit(), deps.clock)).toEqual({ reason: 'provider_busy', forMs: 60_000 })
  await deps.clock.advance(30_000)
  expect(waitOf(await commit(), deps.clock)).toEqual({ reason: 'provider_busy', forMs: 30_000 })
  expect(additions).toHaveLength(1)
  await deps.clock.advance(30_000)
  await commit()
  expect(additions).toHaveLength(2)
  expect(additions[1]).toEqual(additions[0])
})

test('after a 429 a batch of later pieces is not sent before Retry-After either', async () => {
  answer(throttled, accepted)
  await park(1)
  await passBatchingWindow()
  await commit()
  await park(1)
  await passBatchingWindow()
  const passedMs = deps.pace.batchingWindowMs
  expect(waitOf(await commit(), deps.clock)).toEqual({ reason: 'provider_busy', forMs: 60_000 - passedMs })
  expect(additions).toHaveLength(1)
  await deps.clock.advance(60_000 - passedMs)
  await commit()
  expect(additions).toHaveLength(3)
})

test('I-08: missing money waits and records no attempt', async () => {
  answer(accepted)
  deps.world.funding = { isCovered: false, because: 'deposit', message: 'deposit more' }
  await park(1)
  await passBatchingWindow()
  expect(waitOf(await commit(), deps.clock)).toEqual({ reason: 'funding', forMs: deps.pace.fundingMs })
  expect(additions).toEqual([])
  expect(await states()).toEqual(['ready'])
  // After a deposit the batch is sent as it was signed.
  deps.world.funding = { isCovered: true }
  await deps.clock.advance(deps.pace.fundingMs)
  await commit()
  expect(additions).toHaveLength(1)
  expect(await states()).toEqual(['submitted'])
})

test('I-05: pieces that the provider no longer has are uploaded again once the chain shows that their refused batch did not land', async () => {
  answer(invalid)
  await park(2)
  const [kept] = await allRows<{ cid: string }>(rows.database.read, 'select piece_cid as cid from pieces order by id')
  deps.world.client = { ...deps.world.client, findPiece: async (cid) => ok({ isFound: cid === kept?.cid }) }
  await passBatchingWindow()
  expect(waitOf(await commit(), deps.clock).reason).toBe('confirmation')
  expect(await copyStates()).toEqual(['unconfirmed', 'unconfirmed'])
  await untilDecided()
  expect(await copyStates()).toEqual(['parked', 'planned'])
  expect(await states()).toEqual([])
  expect(new Set(deps.scheduled)).toEqual(new Set(['store 1', 'store 2', 'commit 1']))
})

test('the pieces of a refused batch are looked up a few at a time', async () => {
  answer(invalid)
  await park(30)
  let running = 0
  const widths: number[] = []
  deps.world.client = {
    ...deps.world.client,
    async findPiece() {
      widths.push(++running)
      await new Promise(setImmediate)
      running -= 1
      return ok({ isFound: true })
    },
  }
  await passBatchingWindow()
  await commit()
  expect(widths).toHaveLength(30)
  expect(Math.max(...widths)).toBe(lookupsAtOnceMax)
})

test('a provider that stops answering is not asked for the other pieces of a refused batch', async () => {
  answer(invalid)
  await park(30)
  let asked = 0
  deps.world.client = { ...deps.world.client, findPiece: async () => (++asked < 10 ? ok({ isFound: false }) : lost) }
  await passBatchingWindow()
  await commit()
  expect(asked).toBeLessThan(10 + lookupsAtOnceMax)
  expect(await states()).toEqual(['ready'])
})

test('I-05: a refused batch that landed all the same is committed, though its provider discarded the pieces', async () => {
  answer(invalid)
  await park(1)
  deps.world.client = { ...deps.world.client, findPiece: async () => ok({ isFound: false }) }
  await passBatchingWindow()
  await commit()
  deps.world.nonce = { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId: 1n }
  await deps.clock.advance(testEpochMs)
  await commit()
  expect(await copyStates()).toEqual(['committed'])
  expect(additions).toHaveLength(1)
})

test('I-05: a refused batch whose outcome stays open until an operator is called is closed, and not sent again', async () => {
  answer(invalid)
  await park(1)
  deps.world.client = { ...deps.world.client, findPiece: async () => ok({ isFound: false }) }
  deps.world.sent = { pooled: 5, final: 4 }
  await passBatchingWindow()
  await commit()
  for (const waitedMs of [deps.pace.handlingMs, deps.pace.attentionMs]) {
    await deps.clock.advance(waitedMs)
    await commit()
  }
  expect(await copyStates()).toEqual(['attention'])
  deps.world.sent = { pooled: 5, final: 5 }
  await deps.clock.advance(testEpochMs * 20)
  await commit()
  expect(await copyStates()).toEqual(['planned'])
  expect(additions).toHaveLength(1)
})

test('I-29: refused until an operator is called, then discarded: the copy leaves its closed batch and starts over', async () => {
  answer(invalid)
  await park(1)
  await passBatchingWindow()
  for (let round = 0; round < 12; round++) {
    await commit()
    await deps.clock.advance(600_000)
  }
  expect(await copyStates()).toEqual(['attention'])
  deps.world.client = { ...deps.world.client, findPiece: async () => ok({ isFound: false }) }
  await commit()
  await untilDecided()
  expect(await copyStates()).toEqual(['planned'])
  expect(await states()).toEqual([])
  expect(deps.published.map(({ payload }) => (payload as { state?: string }).state)).toEqual(['needs_attention', 'cleared'])
})

test('I-29: a provider that discards the bytes repeatedly gets them after growing pauses, and finally an operator is called', async () => {
  answer(invalid)
  await park(1)
  deps.world.client = { ...deps.world.client, findPiece: async () => ok({ isFound: false }) }
  deps.world.sent = { pooled: 5, final: 5 }
  const pauses: number[] = []
  for (let round = 0; round < 300 && (await copyStates())[0] !== 'attention'; round++) {
    const outcome = await commit()
    if ((await copyStates())[0] === 'planned') {
      pauses.push(((await pausedUntilMs(rows.database.read, dataSet.id)) - deps.clock.now()) / testEpochMs)
      // The bytes are uploaded again as soon as the pause allows it.
      await rows.database.write((tx) => runSql(tx, "update copies set state = 'parked', parked_at = 0"))
    }
    await deps.clock.advance(outcome.kind === 'wait' ? Math.max(1, waitOf(outcome, deps.clock).forMs) : testEpochMs)
  }
  expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120, 120, 120, 120])
  expect(await copyStates()).toEqual(['attention'])
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([{ state: 'ready', attentionCode: 'invalid_submission' }])
})

test('I-29: a copy that waits for an operator ends with its data set', async () => {
  answer(invalid)
  await park(1)
  await passBatchingWindow()
  for (let round = 0; round < 12; round++) {
    await commit()
    await deps.clock.advance(600_000)
  }
  answer(notSent({ reason: 'data_set_gone', status: 409, detail: 'terminated' }))
  deps.world.isLive = false
  await commit()
  expect(await copyStates()).toEqual(['lost'])
  expect(await states()).toEqual([])
})

test('I-29: a copy that waits for an operator is removed with its content', async () => {
  answer(invalid)
  await park(1)
  await passBatchingWindow()
  for (let round = 0; round < 12; round++) {
    await commit()
    await deps.clock.advance(600_000)
  }
  await rows.database.write(async (tx) => {
    await dropReferences(tx, 1, 1, deps.clock.now())
    await deps.states.copies.recount(tx, [1])
  })
  await commit()
  await untilDecided()
  expect(await allRows(rows.database.read, 'select id from copies union all select id from contents')).toEqual([])
})

test('I-29: an addition that did not land is not retried when its data set ended meanwhile', async () => {
  answer(lost)
  await park(1)
  await passBatchingWindow()
  await commit()
  await rows.database.write((tx) => runSql(tx, "update data_sets set state = 'write_blocked'"))
  await untilDecided()
  expect(deps.scheduled).toContain(`commit ${dataSet.id}`)
  await commit()
  expect(await copyStates()).toEqual(['lost'])
  expect(await states()).toEqual([])
  expect(await commit()).toEqual({ kind: 'done' })
})

test('I-05: bytes discarded after an uncertain addition are uploaded again for the same batch, never for a new one', async () => {
  answer(lost, invalid, accepted)
  await park(1)
  await passBatchingWindow()
  await commit()
  deps.world.sent = { pooled: 5, final: 5 }
  await deps.clock.advance(deps.pace.handlingMs)
  await commit()
  const uploaded: string[] = []
  deps.world.cached = { path: import.meta.filename, size: 10 }
  deps.world.client = {
    ...deps.world.client,
    findPiece: async () => ok({ isFound: false }),
    upload: async ({ pieceCid }) => {
      uploaded.push(pieceCid)
      return ok({ alreadyStored: false })
    },
  }
  await deps.clock.advance(testEpochMs * 2)
  // Not landed, sent again, refused: the bytes are uploaded, and the batch waits the shortest pause.
  expect(waitOf(await commit(), deps.clock)).toEqual({ reason: 'refused', forMs: testEpochMs })
  expect(uploaded).toEqual(additions[0]?.pieces)
  await deps.clock.advance(testEpochMs)
  await commit()
  expect(additions).toHaveLength(3)
  expect(additions[2]).toEqual(additions[0])
})

test('a data set that ended on chain takes no more pieces, and its task ends', async () => {
  answer(notSent({ reason: 'data_set_gone', status: 409, detail: 'terminated' }))
  deps.world.isLive = false
  await park(41)
  expect(waitOf(await commit(), deps.clock).reason).toBe('data_set')
  expect(new Set(await copyStates())).toEqual(new Set(['lost']))
  expect(await states()).toEqual([])
  expect(await commit()).toEqual({ kind: 'done' })
  expect(additions).toHaveLength(1)
})

test('one read from a lagging node does not end a paid data set, a lasting absence does', async () => {
  answer(gone)
  const liveness = vi.spyOn(deps.reads, 'liveness')
  await park(1)
  await passBatchingWindow()
  liveness.mockResolvedValueOnce({ live: false, reason: 'absent' })
  await commit()
  await commit()
  expect(await copyStates()).toEqual(['batched'])
  liveness.mockResolvedValue({ live: false, reason: 'absent' })
  await deps.clock.advance(deps.pace.epochMs * 2)
  await commit()
  expect(await copyStates()).toEqual(['batched'])
  await deps.clock.advance(deps.pace.handlingMs)
  await commit()
  expect(await copyStates()).toEqual(['lost'])
  expect(additions).toHaveLength(1)
})

test('additions to a refused data set that is live on chain are sent after growing pauses, and finally an operator is called', async () => {
  answer(gone)
  await park(1)
  await passBatchingWindow()
  const pauses: number[] = []
  for (let round = 0; round < 20 && (await copyStates())[0] !== 'attention'; round++) {
    const { reason, forMs } = waitOf(await commit(), deps.clock)
    expect(reason).toBe('provider')
    pauses.push(forMs / testEpochMs)
    // A run during the pause sends nothing.
    const sent = additions.length
    await deps.clock.advance(forMs - 1)
    await commit()
    expect(additions).toHaveLength(sent)
    await deps.clock.advance(1)
  }
  expect(additions).toHaveLength(12)
  expect(pauses.slice(0, 3)).toEqual([2, 4, 8])
  expect(pauses.slice(-6)).toEqual([120, 120, 120, 120, 120, 120])
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([{ state: 'ready', attentionCode: 'data_set_refused' }])
  expect(await copyStates()).toEqual(['attention'])
  answer(accepted)
  additions = []
  await commit()
  expect(additions).toHaveLength(1)
})

test('a data set that has ended on chain gets no second addition after a refusal', async () => {
  answer(gone)
  await park(1)
  await passBatchingWindow()
  await commit()
  deps.world.isLive = false
  await deps.clock.advance(deps.pace.epochMs * 2)
  expect(waitOf(await commit(), deps.clock).reason).toBe('data_set')
  expect(additions).toHaveLength(1)
  expect(await copyStates()).toEqual(['lost'])
})

test('data sets of one provider together get at most three refusals per minute', async () => {
  answer(gone)
  const dataSets = [dataSet, ...(await Promise.all([1, 2, 3, 4].map(() => rows.addDataSet())))]
  await rows.database.write(async (tx) => {
    // One bucket each: a bucket has one data set per provider.
    for (const { id } of dataSets.slice(1)) {
      await runSql(
        tx,
        'insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (?, ?, 2, 1, 0, 0)',
        id,
        `of ${id}`,
      )
    }
    await runSql(tx, "update data_sets set bucket_id = id, provider_id = '1'")
  })
  for (const { id } of dataSets) await rows.addCopy(await rows.addContent(), { ...dataSet, id }, 'parked')
  await passBatchingWindow()
  const commitAll = async () => {
    for (const { id } of dataSets) await commitPieces(deps, id, signal)
  }
  await commitAll()
  expect(additions).toHaveLength(3)
  await deps.clock.advance(59_000)
  await commitAll()
  expect(additions).toHaveLength(3)
  await deps.clock.advance(1_000)
  await commitAll()
  expect(additions).toHaveLength(6)
})

test('I-05: an addition in flight is followed while its data set is refused', async () => {
  answer(accepted, gone)
  await park(41)
  await passBatchingWindow()
  await commit()
  expect(waitOf(await commit(), deps.clock)).toEqual({ reason: 'provider', forMs: testEpochMs / 2 })
  deps.world.nonce = { landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId: 40n }
  await deps.clock.advance(testEpochMs)
  await commit()
  expect(new Set(await copyStates())).toEqual(new Set(['committed', 'batched']))
})

test('I-05: crash_in_submitting: after a crash during the send the outcome is looked up first', async () => {
  answer(accepted)
  await park(1)
  await passBatchingWindow()
  await commit()
  await rows.database.write((tx) => runSql(tx, "update commit_batches set state = 'submitting', tx_hash = null, next_check_at = 0"))
  await commit()
  expect(await states()).toEqual(['uncertain'])
  expect(additions).toHaveLength(1)
})
