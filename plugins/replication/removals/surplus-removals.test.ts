import { expect, test } from 'vitest'
import { allRows, insertRow, runSql } from '#kernel/testing'
import { openRemovalScene } from '../testing/removal-scene.ts'

test('I-28: a surplus piece is removed by a paid request once its own batch is final, and the copy of its content stays', async () => {
  await using removal = await openRemovalScene(0)
  const { scene, storage, run, count } = removal
  const version = await storage.put('k', 'body')
  await storage.placeCopy(version, { dataSetId: 1, state: 'committed', pieceId: 3 })
  const cid = (await allRows<{ cid: string }>(storage.database.read, 'select piece_cid as cid from pieces'))[0]?.cid ?? ''
  const batchId = await storage.database.write(async (tx) => {
    const batch = await insertRow(
      tx,
      `insert into commit_batches (data_set_id, method, state, nonce, extra_data, next_piece_id, created_at, updated_at)
       values (1, 'store', 'confirmed', '77', '0x', '9', 0, 0)`,
    )
    await insertRow(
      tx,
      `insert into removals (data_set_id, chain_piece_id, content_id, piece_cid, state, surplus_batch_id, created_at, updated_at)
       values (1, '8', ?, ?, 'pending', ?, 0, 0)`,
      version.contentId,
      cid,
      batch,
    )
    return batch
  })
  scene.cids.set(8n, cid)
  scene.nonceAt = (nonce, epoch) => (nonce === 77n && epoch < 8n ? { landed: false } : undefined)
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'finality' })
  expect(scene.requests).toEqual([])
  scene.nonceAt = () => undefined
  await storage.database.write((tx) => runSql(tx, 'update commit_batches set next_check_at = 0 where id = ?', batchId))
  await run()
  await run()
  expect(scene.requests).toEqual([[8n]])
  scene.states = new Map([[8n, 'gone']])
  expect(await run()).toEqual({ kind: 'done' })
  expect(await count()).toEqual({ removed: 1 })
  expect(await allRows(storage.database.read, 'select state, chain_piece_id as piece from copies')).toEqual([
    { state: 'committed', piece: '3' },
  ])
  await storage.expectSound()
})
