import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import type { AddPiecesCall, PieceState, WarmStorageReads } from '#plugins/providers'
import { ok } from '../../../providers/testing/index.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { checkBatches } from '../../finality/landing-checks.ts'
import { adoptedData, landedBatches } from '../../finality/landing-store.ts'
import { foundPiecesMigration } from '../../migrations/0024-found-pieces.ts'
import { addedSince, callsOfDays, keepPastCalls } from '../../spending/paid-calls-store.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, testEpochMs, waitOf } from '../../testing/test-pipeline.ts'
import { commitPieces } from './commit-pieces.ts'

const { signal } = new AbortController()

/** What the chain has beside the recorded pieces: piece CID → id. */
const onChain = new Map<string, bigint>()
let rows: StorageRows
let deps: TestPipeline
let dataSet: DataSet
let additions: AddPiecesCall[]
/** First id and limit of each page that was listed. */
let reads: [number, number][]
let finalState: PieceState

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  dataSet = await rows.addDataSet()
  additions = []
  reads = []
  finalState = 'live'
  onChain.clear()
  const chain: Partial<WarmStorageReads> = {
    addedPieces: async () => [...onChain.values()].reduce((most, id) => (id >= most ? id + 1n : most), 0n),
    scheduledRemovals: async () => [],
    async livePieces({ from, limit }) {
      reads.push([Number(from), limit])
      const listed = [...onChain].map(([pieceCid, pieceId]) => ({ pieceCid, pieceId })).filter(({ pieceId }) => pieceId >= from)
      return listed.sort((one, other) => Number(one.pieceId - other.pieceId)).slice(0, limit)
    },
    pieceState: async () => finalState,
  }
  Object.assign(deps.reads, chain)
  deps.world.client = {
    async addPieces(call) {
      additions.push(call)
      return ok({ txHash: `0x${'ab'.repeat(32)}` as const })
    },
    findPiece: async () => ok({ isFound: true }),
    additionStatus: async () => ok({ state: 'pending' }),
  }
})

afterEach(() => rows[Symbol.asyncDispose]())

async function park(): Promise<{ readonly copyId: number; readonly pieceCid: string }> {
  const content = await rows.addContent()
  const copyId = await rows.addCopy(content, dataSet, 'parked')
  const [row] = await allRows<{ cid: string }>(
    rows.database.read,
    'select p.piece_cid as cid from copies c join pieces p on p.id = c.piece_id where c.id = ?',
    copyId,
  )
  return { copyId, pieceCid: row?.cid ?? '' }
}

const copies = () =>
  allRows<{ state: string; pieceId: string | null }>(
    rows.database.read,
    'select state, chain_piece_id as "pieceId" from copies order by id',
  )
const commit = async () => {
  await deps.clock.advance(deps.pace.batchingWindowMs)
  return commitPieces(deps, dataSet.id, signal)
}

test('I-05: a parked piece that the chain has without a record is committed and not added; the others are', async () => {
  const [first, second] = [await park(), await park()]
  onChain.set(first.pieceCid, 7n)
  await commit()
  await commit()
  expect(additions.map(({ pieces }) => pieces)).toEqual([[second.pieceCid]])
  expect(await copies()).toEqual([
    { state: 'committed', pieceId: '7' },
    { state: 'batched', pieceId: null },
  ])
})

test('pieces that an earlier process paid are no paid calls of this day, and those that are added are', async () => {
  const found = await park()
  onChain.set(found.pieceCid, 7n)
  await commit()
  const { read } = rows.database
  expect(await copies()).toEqual([{ state: 'committed', pieceId: '7' }])
  expect(await callsOfDays(read, 0)).toEqual([])
  expect(await addedSince(read, 0)).toEqual([])
  await rows.database.write((tx) => keepPastCalls(tx, dataSet.id))
  expect(await allRows(read, 'select additions from past_calls')).toEqual([])
  const paid = await park()
  await commit()
  expect(additions.map(({ pieces }) => pieces)).toEqual([[paid.pieceCid]])
  expect(await callsOfDays(read, 0)).toMatchObject([{ additions: 1, pieces: 1, hasLanded: false }])
})

test('an upgrade leaves out pieces that were counted as calls when they were found, and keeps the calls', async () => {
  const insert = (nonce: string, extraData: string) =>
    rows.database.write((tx) =>
      runSql(
        tx,
        `insert into commit_batches (data_set_id, method, nonce, extra_data, state, piece_count, submit_started_at, created_at, updated_at)
         values (?, 'store', ?, ?, 'confirmed', 1, 5, 1, 1)`,
        dataSet.id,
        nonce,
        extraData,
      ),
    )
  await insert('1', adoptedData)
  await insert('2', '0x0012')
  await rows.database.write((tx) => runSql(tx, String(foundPiecesMigration.statements[0])))
  expect(await callsOfDays(rows.database.read, 0)).toMatchObject([{ additions: 1 }])
})

test('its batch is final, and later checks of landings keep it although its nonce is not on chain', async () => {
  const { pieceCid } = await park()
  onChain.set(pieceCid, 7n)
  await commit()
  const batches = await allRows(rows.database.read, 'select state, next_piece_id, final_at is not null as final from commit_batches')
  expect(batches).toEqual([{ state: 'confirmed', next_piece_id: '8', final: 1 }])
  const depths = { confirmed: 5n, finalized: 0n, deletable: 0n }
  const verdicts = await checkBatches(deps, await landedBatches(rows.database.read, [1]), depths)
  expect(verdicts).toEqual(new Map([[1, 'final']]))
  expect(await copies()).toEqual([{ state: 'committed', pieceId: '7' }])
})

test('I-08: a piece that is not final on chain is waited for, and neither added nor committed', async () => {
  const { pieceCid } = await park()
  onChain.set(pieceCid, 7n)
  finalState = 'gone'
  expect(waitOf(await commit(), deps.clock)).toEqual({ reason: 'finality', forMs: testEpochMs })
  expect(additions).toEqual([])
  expect(await copies()).toEqual([{ state: 'parked', pieceId: null }])
  finalState = 'live'
  await commit()
  expect(await copies()).toEqual([{ state: 'committed', pieceId: '7' }])
})

test('while the records explain all pieces on chain, none is looked up', async () => {
  await park()
  await commit()
  expect(reads).toEqual([])
  expect(additions).toHaveLength(1)
})

test('I-05: only the ids that no recorded addition has are listed, in pages, however many pieces the data set has', async () => {
  // Recorded: ids 0 to 39 and 340 to 349. Of the 300 between, one is wanted; so is one after all recorded ones.
  const record = (nonce: string, next: number, pieces: number) =>
    rows.database.write((tx) =>
      runSql(
        tx,
        `insert into commit_batches (data_set_id, method, nonce, extra_data, state, piece_count, next_piece_id, created_at, updated_at)
         values (?, 'store', ?, '0x', 'confirmed', ?, ?, 1, 1)`,
        dataSet.id,
        nonce,
        pieces,
        String(next),
      ),
    )
  await record('1', 40, 40)
  await record('2', 350, 10)
  const [between, after, absent] = [await park(), await park(), await park()]
  onChain.set(between.pieceCid, 175n)
  onChain.set(after.pieceCid, 352n)
  await commit()
  await commit()
  expect(additions.map(({ pieces }) => pieces)).toEqual([[absent.pieceCid]])
  expect(await copies()).toMatchObject([{ state: 'committed', pieceId: '175' }, { state: 'committed', pieceId: '352' }, { pieceId: null }])
  expect(reads.slice(0, 4)).toEqual([
    [40, 100],
    [140, 100],
    [240, 100],
    [350, 3],
  ])
})

test('a piece of a recorded copy, and one that is being removed, are not taken for an unknown one', async () => {
  const { pieceCid } = await park()
  onChain.set(pieceCid, 7n)
  const other = await rows.addCopy(await rows.addContent(), dataSet, 'committed')
  await rows.database.write((tx) => runSql(tx, "update copies set chain_piece_id = '7' where id = ?", other))
  await commit()
  expect(additions.map(({ pieces }) => pieces)).toEqual([[pieceCid]])

  const queued = await park()
  onChain.set(queued.pieceCid, 9n)
  Object.assign(deps.reads, { scheduledRemovals: async () => [9n] })
  await commit()
  expect(additions.map(({ pieces }) => pieces)).toContainEqual([queued.pieceCid])
})

test('I-05: a piece that an addition in flight may have added is left to that addition', async () => {
  const first = await park()
  await commit()
  expect(additions.map(({ pieces }) => pieces)).toEqual([[first.pieceCid]])
  // The addition has landed, and no check has seen it. The same bytes are parked again, as another content.
  onChain.set(first.pieceCid, 7n)
  const second = await park()
  await rows.database.write((tx) =>
    runSql(tx, 'update pieces set piece_cid = ? where id = (select piece_id from copies where id = ?)', `${first.pieceCid}-`, first.copyId),
  )
  await rows.database.write((tx) =>
    runSql(tx, 'update pieces set piece_cid = ? where id = (select piece_id from copies where id = ?)', first.pieceCid, second.copyId),
  )
  await commit()
  expect((await copies())[1]).toMatchObject({ pieceId: null })
  expect(await allRows(rows.database.read, 'select state from commit_batches where next_piece_id is not null')).toEqual([])
})
