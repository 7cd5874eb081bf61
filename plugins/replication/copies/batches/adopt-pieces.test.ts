import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import type { AddPiecesCall, PieceState, WarmStorageReads } from '#plugins/providers'
import { ok } from '../../../providers/testing/index.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { checkBatches } from '../../finality/landing-checks.ts'
import { landedBatches } from '../../finality/landing-store.ts'
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
let reads: string[]
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
    addedPieces: async () => BigInt(onChain.size),
    scheduledRemovals: async () => [],
    async findPieceIds({ pieceCid }) {
      reads.push(pieceCid)
      const id = onChain.get(pieceCid)
      return id === undefined ? [] : [id]
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
