import { expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import type { NonceOutcome } from '#plugins/providers'
import { openRemovalScene } from '../testing/removal-scene.ts'

const unused: NonceOutcome = { landed: false }
const finalizedEpoch = 5n

const batchStates = async ({ storage }: Awaited<ReturnType<typeof openRemovalScene>>) =>
  (await allRows<{ state: string }>(storage.database.read, 'select state from commit_batches order by id')).map(({ state }) => state)

/** Makes the batches unfinal again. */
const reopen = ({ storage }: Awaited<ReturnType<typeof openRemovalScene>>) =>
  storage.database.write((tx) => runSql(tx, 'update commit_batches set final_at = null'))

test('I-28: a piece is removed once it is final on chain, and not before', async () => {
  await using removal = await openRemovalScene(2)
  const { scene, run, count } = removal
  await reopen(removal)
  scene.nonceAt = (_nonce, epoch) => (epoch === finalizedEpoch ? unused : undefined)
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'finality' })
  expect(scene.requests).toEqual([])
  expect(await count()).toEqual({ pending: 2 })
  scene.nonceAt = () => undefined
  await run()
  expect(scene.requests).toEqual([[0n, 1n]])
})

test('pieces that are not final do not delay the others', async () => {
  await using removal = await openRemovalScene(40)
  const { scene, storage, run } = removal
  await storage.database.write((tx) => runSql(tx, 'update commit_batches set final_at = null where id <= 36'))
  const rows = await allRows<{ nonce: string }>(storage.database.read, 'select nonce from commit_batches where id <= 36')
  const unfinal = new Set(rows.map(({ nonce }) => BigInt(nonce)))
  scene.nonceAt = (nonce, epoch) => (epoch === finalizedEpoch && unfinal.has(nonce) ? unused : undefined)
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toEqual([[36n, 37n, 38n, 39n]])
})

test('I-28: a removal is not requested when the nonce no longer names the piece, even if it was final: its copy is unconfirmed again', async () => {
  await using removal = await openRemovalScene(2)
  const { scene, storage, run, count } = removal
  const first = BigInt((await getRow<{ nonce: string }>(storage.database.read, 'select nonce from commit_batches order by id'))?.nonce ?? 0)
  scene.nonceAt = (nonce) => (nonce === first ? unused : undefined)
  await run()
  expect(scene.requests).toEqual([[1n]])
  expect(await count()).toEqual({ submitted: 1 })
  expect(await batchStates(removal)).toEqual(['uncertain', 'confirmed'])
  expect(await allRows(storage.database.read, 'select state, chain_piece_id as piece from copies order by id')).toEqual([
    { state: 'unconfirmed', piece: null },
    { state: 'committed', piece: '1' },
  ])
  expect(removal.commits).toEqual([1])
})

test('a final piece stays removable when the node later reports an earlier finalized epoch', async () => {
  await using removal = await openRemovalScene(1)
  removal.scene.nonceAt = (_nonce, epoch) => (epoch === finalizedEpoch ? unused : undefined)
  await removal.run()
  expect(removal.scene.requests).toEqual([[0n]])
})

test('I-28: a removal is not requested when the chain has another piece under the id', async () => {
  await using removal = await openRemovalScene(2)
  const { scene, run, count } = removal
  scene.cids.set(0n, 'the piece of another object')
  await run()
  expect(scene.requests).toEqual([[1n]])
  expect(await count()).toEqual({ pending: 1, submitted: 1 })
  expect(await batchStates(removal)).toEqual(['confirmed', 'confirmed'])
})

test('a withheld removal fails its task once the others have ended, and only the retry of that task checks it again', async () => {
  await using removal = await openRemovalScene(37)
  const { scene, storage, run, count } = removal
  for (let piece = 0n; piece < 36n; piece++) scene.cids.set(piece, 'the piece of another object')
  expect(await run(1)).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(await run(1)).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toEqual([[36n]])
  scene.states = new Map([[36n, 'gone']])
  expect(await run(1)).toMatchObject({ kind: 'fail', code: 'removal_withheld', retryable: true })
  expect(await count()).toEqual({ pending: 36, removed: 1 })
  expect(removal.commits).toEqual([])
  scene.cids.delete(7n)
  expect(await run(2)).toEqual({ kind: 'done' })
  expect(scene.requests).toHaveLength(1)
  expect(await run(1)).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toEqual([[36n], [7n]])
  await storage.database.write((tx) => runSql(tx, `update data_sets set state = 'retired'`))
  expect(await run(1)).toEqual({ kind: 'done' })
  expect(await count()).toEqual({ data_set_ended: 36, removed: 1 })
})

test('I-28: a reorganisation during the check of a removal makes its copy unconfirmed and needs no operator', async () => {
  await using removal = await openRemovalScene(1)
  const { scene, run, count } = removal
  scene.cids.set(0n, 'the piece of another object')
  let reads = 0
  // The first check reads the nonce at two depths.
  scene.nonceAt = () => (++reads > 2 ? unused : undefined)
  expect(await run()).toEqual({ kind: 'done' })
  expect(scene.requests).toEqual([])
  expect(await count()).toEqual({})
  expect(await batchStates(removal)).toEqual(['uncertain'])
})

test('a batch that an earlier version recorded without piece ids is uncertain again when the chain has another piece', async () => {
  await using removal = await openRemovalScene(1)
  const { scene, storage, run, count } = removal
  await storage.database.write((tx) => runSql(tx, 'update commit_batches set next_piece_id = null'))
  scene.nonceAt = () => ({ landed: true, dataSetId: 1n, nextPieceId: 9n })
  scene.cids.set(0n, 'the piece of another object')
  await run()
  expect(scene.requests).toEqual([])
  expect(await count()).toEqual({})
  expect(await batchStates(removal)).toEqual(['uncertain'])
})

test('a queued removal of another piece is not recorded as ours', async () => {
  await using removal = await openRemovalScene(1)
  const { scene, run, count } = removal
  scene.cids.set(0n, 'the piece of another object')
  scene.queued = new Set([0n])
  expect(await run()).toMatchObject({ kind: 'fail', code: 'removal_withheld' })
  expect(await count()).toEqual({ pending: 1 })
  expect(await batchStates(removal)).toEqual(['confirmed'])
})

test('a removal row has the piece CID', async () => {
  await using removal = await openRemovalScene(1)
  const { read } = removal.storage.database
  expect(await getRow(read, 'select piece_cid as cid from removals')).toEqual({
    cid: (await getRow<{ cid: string }>(read, 'select piece_cid as cid from pieces'))?.cid,
  })
})

test('a removal ends, and its content row is deleted, once no reorganisation can bring the piece back', async () => {
  await using removal = await openRemovalScene(1)
  const { scene, storage, run, count } = removal
  await run()
  scene.states = new Map([[0n, 'gone']])
  scene.finalizedStates = new Map([[0n, 'live']])
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'finality' })
  expect(await count()).toEqual({ scheduled: 1 })
  scene.finalizedStates = undefined
  expect(await run()).toEqual({ kind: 'done' })
  expect(await allRows(storage.database.read, 'select id from contents')).toEqual([])
})

test('I-05: a removal that becomes final while it is judged is not requested again', async () => {
  await using removal = await openRemovalScene(1)
  const { scene, clock, run, count } = removal
  await run()
  await clock.advance(3_600_000)
  await run()
  // Every transaction of the sender is final by now, and the removal is in the last of them.
  scene.onCount = () => {
    scene.queued = new Set([0n])
  }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toHaveLength(1)
  scene.onCount = () => {}
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(await count()).toEqual({ scheduled: 1 })
  expect(scene.requests).toHaveLength(1)
})

test('I-05: a removal that a reorganisation took out of the queue is judged by its attempt before it is requested again', async () => {
  await using removal = await openRemovalScene(1)
  const { scene, clock, run, count } = removal
  await run()
  scene.queued = new Set([0n])
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  scene.queued = new Set()
  scene.sender = { pooled: 6, final: 5 }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(await count()).toEqual({ uncertain: 1 })
  await clock.advance(3_600_000)
  await run()
  await run()
  expect(scene.requests).toHaveLength(1)
  scene.sender = { pooled: 6, final: 6 }
  await expect(run()).rejects.toMatchObject({ code: 'removal_reverted' })
  await run()
  expect(scene.requests).toHaveLength(2)
})

test('a removal that was queued without a request of ours, and is no longer queued, is requested', async () => {
  await using removal = await openRemovalScene(1)
  const { scene, run, count } = removal
  scene.queued = new Set([0n])
  await run()
  expect(await count()).toEqual({ scheduled: 1 })
  scene.queued = new Set()
  await run()
  expect(scene.requests).toEqual([[0n]])
})

test('without old states at the node a removed piece does not delay other removals; its row is deleted once they can be read', async () => {
  await using removal = await openRemovalScene(3)
  const { scene, run, count } = removal
  scene.keepsOldStates = false
  scene.states = new Map([[0n, 'gone']])
  await run()
  expect(scene.requests).toEqual([[1n, 2n]])
  scene.states = new Map([
    [0n, 'gone'],
    [1n, 'gone'],
  ])
  scene.queued = new Set([2n])
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'finality' })
  expect(await count()).toEqual({ pending: 1, scheduled: 2 })
  scene.keepsOldStates = true
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(await count()).toEqual({ removed: 2, scheduled: 1 })
})
