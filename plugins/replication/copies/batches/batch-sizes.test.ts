import { decodeAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { getRow, runSql } from '#kernel/testing'
import type { AddPiecesCall, ProviderClient } from '#plugins/providers'
import { notSent, ok } from '../../../providers/testing/index.ts'
import { raiseAfterMs } from '../../submissions/call-limit-policy.ts'
import { openBatches } from '../../testing/open-batches.ts'
import { openStorageRows, rowsNowMs } from '../../testing/storage-rows.ts'
import { createTestPipeline } from '../../testing/test-pipeline.ts'
import { commitPieces } from './commit-pieces.ts'

const { signal } = new AbortController()
const txHash = `0x${'ab'.repeat(32)}` as const
type Answer = Awaited<ReturnType<ProviderClient['addPieces']>>

const refusal = (pieces: number, max: number) => {
  const detail = `piece count (${pieces}) exceeds the maximum allowed per AddPieces call (${max})`
  return notSent({ reason: 'invalid', status: 400, detail })
}

/** A provider with a limit, and a data set with parked pieces at it. */
async function openScene({
  parked,
  max,
  known,
}: {
  readonly parked: number
  readonly max: number
  readonly known?: readonly [pieces: number, refusedAtMs: number | null]
}) {
  const rows = await openStorageRows()
  const deps = createTestPipeline(rows)
  const dataSet = await rows.addDataSet()
  const additions: AddPiecesCall[] = []
  const scene = { max }
  deps.world.client = {
    async addPieces(call): Promise<Answer> {
      additions.push(call)
      return call.pieces.length > scene.max ? refusal(call.pieces.length, scene.max) : ok({ txHash })
    },
    findPiece: async () => ok({ isFound: true }),
    additionStatus: async () => ok({ state: 'pending' }),
  }
  const park = async (count: number) => {
    for (let i = 0; i < count; i++) await rows.addCopy(await rows.addContent(), dataSet, 'parked')
  }
  await park(parked)
  if (known)
    await rows.database.write((tx) =>
      runSql(tx, `insert into provider_call_limits values ('${dataSet.providerId}', 'addition', ?, ?)`, ...known),
    )
  const commit = () => commitPieces(deps, dataSet.id, signal)
  return {
    ...{ rows, deps, dataSet, additions, scene, park, commit },
    sizes: () => additions.map(({ pieces }) => pieces.length),
    /** Until the chain shows that refused additions did not land. */
    async untilDecided() {
      deps.world.sent = { pooled: 5, final: 5 }
      for (let round = 0; round < 3; round++) {
        await deps.clock.advance(deps.pace.handlingMs)
        await commit()
      }
    },
    limit: () => getRow(rows.database.read, 'select call, pieces from provider_call_limits'),
    [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose](),
  }
}

test('an unknown provider gets 40 pieces, then as many as a message has room for', async () => {
  await using scene = await openScene({ parked: 90, max: 500 })
  await scene.commit()
  expect(scene.sizes()).toEqual([40])
  await scene.commit()
  // 50 wait for more until the window has passed.
  expect(scene.sizes()).toEqual([40])
  await scene.deps.clock.advance(scene.deps.pace.batchingWindowMs)
  await scene.commit()
  expect(scene.sizes()).toEqual([40, 50])
  expect(await scene.limit()).toMatchObject({ call: 'addition', pieces: 50 })
})

test('I-05: a batch refused for its size is signed again in smaller ones, after the chain shows that its nonce is unused', async () => {
  await using scene = await openScene({ parked: 60, max: 40, known: [60, null] })
  await scene.deps.clock.advance(scene.deps.pace.batchingWindowMs)
  await scene.commit()
  expect(scene.sizes()).toEqual([60])
  expect(await scene.limit()).toMatchObject({ pieces: 40 })
  // The refusal is only a report: nothing is signed again yet.
  await scene.commit()
  expect((await openBatches(scene.rows.database.read, scene.dataSet.id)).map(({ state }) => state)).toEqual(['uncertain'])
  await scene.untilDecided()
  expect(scene.sizes()).toEqual([60, 40, 20])
  expect(new Set(scene.additions.map(({ extraData }) => extraData.slice(0, 66))).size).toBe(3)
})

test('a provider that refused a size is tried with more later', async () => {
  await using scene = await openScene({ parked: 45, max: 500, known: [20, rowsNowMs] })
  await scene.commit()
  expect(scene.sizes()).toEqual([20])
  await scene.deps.clock.advance(raiseAfterMs)
  await scene.commit()
  expect(scene.sizes()).toEqual([20, 25])
})

test('a data set from before the upgrade gets 80 pieces, and earlier contracts get the metadata lists of 40', async () => {
  await using scene = await openScene({ parked: 125, max: 500, known: [404, null] })
  scene.deps.world.additionLimits = { piecesMax: 80, omitsMetadata: true }
  await scene.deps.clock.advance(scene.deps.pace.batchingWindowMs)
  await scene.commit()
  scene.deps.world.additionLimits = { piecesMax: 40, omitsMetadata: false }
  await scene.commit()
  expect(scene.sizes()).toEqual([80, 40])
  const lists = scene.additions.map(
    ({ extraData }) =>
      decodeAbiParameters([{ type: 'uint256' }, { type: 'string[][]' }, { type: 'string[][]' }, { type: 'bytes' }], extraData)[1].length,
  )
  expect(lists).toEqual([0, 40])
})

test.each([
  ['without metadata lists', true, 3],
  ['recorded by an earlier version', false, 0],
])('the pieces of a batch %s get their ids on chain', async (_name, omitsMetadata, recordedCount) => {
  await using scene = await openScene({ parked: 3, max: 40 })
  scene.deps.world.additionLimits = { piecesMax: 40, omitsMetadata }
  await scene.deps.clock.advance(scene.deps.pace.batchingWindowMs)
  await scene.commit()
  await scene.rows.database.write((tx) => runSql(tx, `update commit_batches set piece_count = ${recordedCount}`))
  scene.deps.world.nonce = { landed: true, dataSetId: scene.dataSet.chainId ?? 0n, nextPieceId: 10n }
  await scene.deps.clock.advance(60_000)
  await scene.commit()
  const ids = await getRow(scene.rows.database.read, 'select min(chain_piece_id) as low, max(chain_piece_id) as high from copies')
  expect(Object.values(ids ?? {}).map(Number)).toEqual([7, 9])
})

test('a batch whose size an earlier version did not record teaches nothing when it is refused for it', async () => {
  await using scene = await openScene({ parked: 3, max: 2 })
  scene.deps.world.funding = { isCovered: false, because: 'deposit', message: 'deposit more' }
  await scene.deps.clock.advance(scene.deps.pace.batchingWindowMs)
  await scene.commit()
  await scene.rows.database.write((tx) => runSql(tx, 'update commit_batches set piece_count = 0'))
  scene.deps.world.funding = { isCovered: true }
  await scene.deps.clock.advance(scene.deps.pace.fundingMs)
  await scene.commit()
  expect(scene.sizes()).toEqual([3])
  expect(await scene.limit()).toBeUndefined()
})

test('parked pieces do not wait for batches of pulled ones', async () => {
  await using scene = await openScene({ parked: 0, max: 500 })
  const { rows, deps, dataSet } = scene
  for (let nonce = 1n; nonce <= 6n; nonce++) {
    const copyId = await rows.addCopy(await rows.addContent(), dataSet, 'planned')
    const piece = await getRow<{ pieceCid: string }>(
      rows.database.read,
      'select p.piece_cid as "pieceCid" from copies c join pieces p on p.id = c.piece_id where c.id = ?',
      copyId,
    )
    const items = [{ copyId, pieceCid: piece?.pieceCid ?? '' }]
    const pull = { dataSetId: dataSet.id, method: 'pull', nonce, extraData: `0x0${nonce}`, items } as const
    await rows.database.write(async (tx) => {
      const id = await deps.states.batches.record(tx, pull)
      await deps.states.batches.apply(tx, 'pulled', id ?? 0)
    })
  }
  await scene.park(40)
  await scene.commit()
  expect(scene.sizes()).toEqual([1, 1, 1, 1, 40])
  const sent = await openBatches(rows.database.read, dataSet.id)
  expect(sent.filter(({ state }) => state === 'submitted').map(({ method }) => method)).toEqual(['pull', 'pull', 'pull', 'pull', 'store'])
})
