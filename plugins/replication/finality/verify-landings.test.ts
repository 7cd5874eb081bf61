import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import type { AddPiecesCall, NonceOutcome } from '#plugins/providers'
import { notSent, ok } from '../../providers/testing/index.ts'
import { commitPieces } from '../copies/batches/commit-pieces.ts'
import { findPipelineContent, type PipelineContent } from '../copies/records/copy-store.ts'
import { readableCopies } from '../copies/records/placement-store.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { ensureDataSet } from '../datasets/ensure-data-set.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, testEpochMs, waitOf } from '../testing/test-pipeline.ts'
import { verifyLandings } from './verify-landings.ts'

const { signal } = new AbortController()
const finality = 100n

let rows: StorageRows
let deps: TestPipeline
let dataSet: DataSet
let additions: AddPiecesCall[]
/** Nonce outcomes at the confirmed and at the finalized epoch; unused when absent. */
let nonces: Map<bigint, NonceOutcome>
let finalizedNonces: Map<bigint, NonceOutcome>

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  dataSet = await rows.addDataSet()
  additions = []
  nonces = new Map()
  finalizedNonces = new Map()
  deps.world.epoch = 1000n
  deps.world.client = {
    addPieces: async (call) => {
      additions.push(call)
      return ok({ txHash: `0x${'ab'.repeat(32)}` })
    },
    findPiece: async () => ok({ isFound: true }),
    additionStatus: async () => ok({ state: 'pending' }),
    createDataSet: async () => ok({ txHash: `0x${'cd'.repeat(32)}` }),
    creationStatus: async () => ok({ state: 'pending' }),
  } as TestPipeline['world']['client']
  const unused: NonceOutcome = { landed: false }
  Object.assign(deps.chain, { finalizedEpoch: async () => deps.world.epoch - finality })
  Object.assign(deps.reads, {
    nonceOutcome: async (_payer: string, nonce: bigint) => nonces.get(nonce) ?? unused,
    nonceAt: async (_payer: string, nonce: bigint, epoch: bigint) =>
      (epoch === deps.world.epoch ? nonces : finalizedNonces).get(nonce) ?? unused,
  })
})

afterEach(() => rows[Symbol.asyncDispose]())

const commit = () => commitPieces(deps, dataSet.id, signal)
const verify = () => verifyLandings(deps, signal)
const pass = async (epochs: number) => {
  deps.world.epoch += BigInt(epochs)
  await deps.clock.advance(epochs * testEpochMs)
}

interface BatchRow {
  readonly id: number
  readonly state: string
  readonly nonce: string
  readonly extra_data: string
  readonly final_at: number | null
}
const batches = () => allRows<BatchRow>(rows.database.read, 'select id, state, nonce, extra_data, final_at from commit_batches order by id')
const nonceOf = async (index: number) => BigInt((await batches())[index]?.nonce ?? 0)
const places = async () =>
  (
    await allRows<{ state: string; piece: string | null }>(
      rows.database.read,
      'select state, chain_piece_id as piece from copies order by id',
    )
  ).map(({ state, piece }) => [state, piece])
const contentRow = (id: number) =>
  getRow(
    rows.database.read,
    'select durable_copies as durable, readable_copies as readable, store_state as state from contents where id = ?',
    id,
  )

const landed = (nextPieceId: bigint): NonceOutcome => ({ landed: true, dataSetId: dataSet.chainId ?? 0n, nextPieceId })

/** Commits pieces in one batch; the last piece id is `next - 1`. */
async function store(pieces: number, next: bigint) {
  const contents = []
  for (let n = 0; n < pieces; n++) contents.push(await rows.addContent({ copies: 1 }))
  for (const content of contents) await rows.addCopy(content, dataSet, 'parked')
  await deps.clock.advance(deps.pace.batchingWindowMs)
  await commit()
  nonces.set(await nonceOf((await batches()).length - 1), landed(next))
  await deps.clock.advance(testEpochMs)
  await commit()
  return contents
}

/** Follows the uncertain batch until its pieces are sent again. */
async function sendAgain() {
  deps.world.sent = { pooled: 3, final: 3 }
  await deps.clock.advance(deps.pace.handlingMs)
  await commit()
  await deps.clock.advance(testEpochMs)
  await commit()
}

test('a landed batch is checked at growing intervals until it is final, and then never again', async () => {
  await store(2, 2n)
  const pauses: number[] = []
  for (;;) {
    const outcome = await verify()
    if (outcome.kind === 'done') break
    const { forMs, reason } = waitOf(outcome, deps.clock)
    expect(reason).toBe('finality')
    pauses.push(forMs / testEpochMs)
    await pass(forMs / testEpochMs)
    if (pauses.length === 6) finalizedNonces = nonces
  }
  expect(pauses).toEqual([5, 10, 20, 40, 25, 6])
  expect((await batches())[0]?.final_at).not.toBeNull()
  expect((await places()).map(([state]) => state)).toEqual(['committed', 'committed'])
})

test('I-27: reorg_unconfirms: a batch that is no longer on chain is uncertain again, is sent with the same bytes and gets the ids of its next landing', async () => {
  const [content] = await store(2, 2n)
  const id = content?.contentId ?? 0
  const bytes = (await batches())[0]?.extra_data
  expect(await contentRow(id)).toMatchObject({ durable: 1, state: 'stored' })
  await rows.database.write((tx) =>
    runSql(tx, `insert into cache_entries (content_id, bytes, releasable, accessed_at, cached_at) values (?, 1, 1, 0, 0)`, id),
  )
  nonces.clear()
  await pass(5)
  expect(await verify()).toEqual({ kind: 'done' })
  expect((await batches())[0]?.state).toBe('uncertain')
  expect(await places()).toEqual([
    ['unconfirmed', null],
    ['unconfirmed', null],
  ])
  expect(await contentRow(id)).toEqual({ durable: 0, readable: 1, state: 'storing' })
  expect(await getRow(rows.database.read, 'select releasable from cache_entries')).toEqual({ releasable: 0 })
  expect(deps.scheduled).toContain(`commit ${dataSet.id}`)
  await sendAgain()
  expect(additions).toHaveLength(2)
  expect(additions[1]).toEqual(additions[0])
  expect((await batches()).map(({ extra_data }) => extra_data)).toEqual([bytes])
  nonces.set(await nonceOf(0), landed(12n))
  await deps.clock.advance(testEpochMs)
  await commit()
  expect(await places()).toEqual([
    ['committed', '10'],
    ['committed', '11'],
  ])
  expect(await contentRow(id)).toEqual({ durable: 1, readable: 1, state: 'stored' })
})

test('I-27: a batch keeps its piece ids in order when one of its contents was deleted since', async () => {
  const [first] = await store(3, 3n)
  await rows.database.write(async (tx) => {
    await runSql(tx, `update copies set state = 'removed' where content_id = ?`, first?.contentId ?? 0)
    await runSql(tx, `update contents set state = 'deleting', ref_count = 0 where id = ?`, first?.contentId ?? 0)
    await deps.contents.forgetIfReleased(tx, first?.contentId ?? 0)
  })
  nonces.set(await nonceOf(0), landed(13n))
  await pass(5)
  await verify()
  await deps.clock.advance(testEpochMs)
  await commit()
  expect(await places()).toEqual([
    ['committed', '11'],
    ['committed', '12'],
  ])
})

test('an evicted content whose only copies left the chain is still read from its provider: readable, not durable', async () => {
  const [content] = await store(1, 1n)
  nonces.clear()
  await pass(5)
  await verify()
  expect(await contentRow(content?.contentId ?? 0)).toEqual({ durable: 0, readable: 1, state: 'storing' })
  expect(await readableCopies(rows.database.read, content?.contentId ?? 0)).toHaveLength(1)
})

test('I-27: piece ids that the chain gave to another batch roll back the recorded one: no id is recorded twice', async () => {
  await store(1, 5n)
  nonces.delete(await nonceOf(0))
  await store(1, 5n)
  expect(await places()).toEqual([
    ['unconfirmed', null],
    ['committed', '4'],
  ])
  expect((await batches()).map(({ state }) => state)).toEqual(['uncertain', 'confirmed'])
})

test('I-27: two batches that swap their ids in one reorganisation both get their new ids', async () => {
  await store(1, 5n)
  await store(1, 6n)
  nonces.set(await nonceOf(0), landed(6n))
  nonces.set(await nonceOf(1), landed(5n))
  await pass(5)
  await verify()
  await deps.clock.advance(testEpochMs)
  await commit()
  expect(await places()).toEqual([
    ['committed', '5'],
    ['committed', '4'],
  ])
})

test('a node that is behind the landing rolls back nothing', async () => {
  await store(1, 1n)
  nonces.clear()
  deps.world.epoch -= 1n
  await deps.clock.advance(5 * testEpochMs)
  expect(waitOf(await verify(), deps.clock).reason).toBe('finality')
  expect(await places()).toEqual([['committed', '0']])
})

test('a node without old states makes nothing final, and missing batches are found all the same', async () => {
  await store(1, 1n)
  const { nonceAt } = deps.reads
  deps.reads.nonceAt = async (payer, nonce, epoch) => {
    if (epoch !== deps.world.epoch) throw Object.assign(new Error('no state'), { code: 'chain_unreachable' })
    return nonceAt(payer, nonce, epoch)
  }
  finalizedNonces = nonces
  await pass(200)
  expect(waitOf(await verify(), deps.clock).reason).toBe('finality')
  nonces.clear()
  await pass(200)
  await verify()
  expect(await places()).toEqual([['unconfirmed', null]])
})

test('a removal that was not requested is deleted with the missing piece, and created again when the piece lands', async () => {
  const [content] = await store(1, 5n)
  const { contentId } = content ?? { contentId: 0 }
  await rows.database.write((tx) => runSql(tx, `update contents set state = 'deleting', ref_count = 0 where id = ?`, contentId))
  await rows.database.write((tx) => deps.states.copies.recount(tx, [contentId]))
  const removals = () => allRows(rows.database.read, 'select chain_piece_id as piece, piece_cid as cid, state from removals order by id')
  const cid = content?.pieceCid
  expect(await removals()).toEqual([{ piece: '4', cid, state: 'pending' }])
  nonces.clear()
  await pass(5)
  await verify()
  expect(await removals()).toEqual([])
  nonces.set(await nonceOf(0), landed(9n))
  await deps.clock.advance(testEpochMs)
  await commit()
  expect(await removals()).toEqual([{ piece: '8', cid, state: 'pending' }])
  expect(deps.scheduled).toContain(`cleanup ${dataSet.id}`)
})

test('a data set that is no longer on chain is in creation again with all its batches, and continues under its new id', async () => {
  await store(1, 1n)
  await rows.database.write((tx) => runSql(tx, 'update data_sets set final_at = null, landed_epoch = 900'))
  nonces.clear()
  await pass(5)
  await verify()
  const found = () => findDataSet(rows.database.read, dataSet.id)
  expect(await found()).toMatchObject({ state: 'creating', chainId: null })
  expect(await places()).toEqual([['unconfirmed', null]])
  expect(deps.scheduled).toContain(`ensure ${dataSet.id}`)
  expect(deps.published).toContainEqual({ topic: 'bucket_updated', payload: { bucket_name: 'photos' } })
  expect(await commit()).toEqual({ kind: 'done' })
  deps.scheduled.length = 0
  nonces.set(dataSet.clientDataSetId, { landed: true, dataSetId: 202n })
  expect(await ensureDataSet(deps, dataSet.id, signal)).toEqual({ kind: 'done' })
  expect(await found()).toMatchObject({ state: 'ready', chainId: 202n })
  expect(deps.scheduled).toContain(`commit ${dataSet.id}`)
  nonces.set(await nonceOf(0), { landed: true, dataSetId: 202n, nextPieceId: 4n })
  await deps.clock.advance(testEpochMs)
  await commit()
  expect(await places()).toEqual([['committed', '3']])
})

test('a data set that gets the recorded id of another one rolls back the creation of that one', async () => {
  await rows.database.write((tx) => runSql(tx, 'update data_sets set final_at = null, landed_epoch = 900'))
  const other = await rows.addDataSet({ state: 'planned' })
  await ensureDataSet(deps, other.id, signal)
  nonces.set(other.clientDataSetId, { landed: true, dataSetId: dataSet.chainId ?? 0n })
  await ensureDataSet(deps, other.id, signal)
  expect(await findDataSet(rows.database.read, other.id)).toMatchObject({ state: 'ready', chainId: dataSet.chainId })
  expect(await findDataSet(rows.database.read, dataSet.id)).toMatchObject({ state: 'creating', chainId: null })
})

test('I-05: a refused batch that landed all the same keeps its nonce when a reorganisation removes it', async () => {
  const { client } = deps.world
  deps.world.client = {
    ...client,
    findPiece: async () => ok({ isFound: false }),
    addPieces: async (call) => {
      additions.push(call)
      return notSent({ reason: 'invalid', status: 400, detail: 'no' })
    },
  }
  await store(1, 1n)
  expect(await places()).toEqual([['committed', '0']])
  deps.world.client = client
  nonces.clear()
  await pass(5)
  await verify()
  await sendAgain()
  expect(additions).toHaveLength(2)
  expect(additions[1]).toEqual(additions[0])
})

test('a lost data set frees its id when its creation is no longer on chain, and its sent batches are followed to their end', async () => {
  const { contentId } = await rows.addContent({ copies: 1 })
  await rows.addCopy((await findPipelineContent(rows.database.read, contentId)) as PipelineContent, dataSet, 'parked')
  await deps.clock.advance(deps.pace.batchingWindowMs)
  await commit()
  await rows.database.write((tx) => runSql(tx, "update data_sets set state = 'lost', final_at = null, landed_epoch = 900"))
  const other = await rows.addDataSet({ state: 'planned' })
  await ensureDataSet(deps, other.id, signal)
  nonces.set(other.clientDataSetId, { landed: true, dataSetId: dataSet.chainId ?? 0n })
  await ensureDataSet(deps, other.id, signal)
  expect(await findDataSet(rows.database.read, other.id)).toMatchObject({ state: 'ready', chainId: dataSet.chainId })
  expect(await findDataSet(rows.database.read, dataSet.id)).toMatchObject({ state: 'lost', chainId: null })
  expect(deps.scheduled).toContain(`commit ${dataSet.id}`)
  await sendAgain()
  await commit()
  expect((await batches())[0]?.state).toBe('closed')
  expect(await places()).toEqual([['lost', null]])
})

test('many landed batches are read a page at a time', async () => {
  await rows.database.write(async (tx) => {
    for (let n = 0; n < 450; n++) {
      await runSql(
        tx,
        `insert into commit_batches (data_set_id, method, state, nonce, extra_data, next_piece_id, landed_epoch, created_at, updated_at)
         values (?, 'store', 'confirmed', ?, '0x', ?, 900, 0, 0)`,
        dataSet.id,
        String(n + 1),
        String(n + 1),
      )
    }
  })
  for (let n = 1n; n <= 450n; n++) nonces.set(n, landed(n))
  let atOnce = 0
  const { nonceAt } = deps.reads
  Object.assign(deps.reads, {
    nonceAt: (...args: Parameters<typeof nonceAt>) => {
      atOnce++
      return nonceAt(...args)
    },
  })
  const rounds: number[] = []
  for (let forMs = 0; forMs === 0; ) {
    atOnce = 0
    forMs = waitOf(await verify(), deps.clock).forMs
    rounds.push(atOnce)
  }
  expect(rounds).toEqual([400, 400, 100])
})
