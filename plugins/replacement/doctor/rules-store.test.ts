import { expect, test } from 'vitest'
import { openReplacementScene } from '../testing/replacement-scene.ts'
import { undriven } from './rules-store.ts'

test('I-43: the doctor finds a replacement that no task drives, and none that waits for an operator', async () => {
  await using scene = await openReplacementScene()
  const { id } = (await scene.confirm()).replacement
  const find = () => scene.rows.database.read.all(undriven, { limit: 10 })
  expect(await find()).toEqual([])
  await scene.endDrive(id)
  expect(await find()).toEqual([{ id, bucket: 'photos' }])
  await scene.sql(`update replacements set status = 'failed' where id = ?`, id)
  expect(await find()).toEqual([])
})
