import { expect, test } from 'vitest'
import { isBeingMoved } from '../records/item-store.ts'
import { openReplacementScene } from '../testing/replacement-scene.ts'

test('cached bytes are kept from the time when their content must move until the target has it, or the replacement is over', async () => {
  await using scene = await openReplacementScene()
  const contents = [await scene.addContent([scene.source]), await scene.addContent([scene.source])]
  const kept = () => Promise.all(contents.map(({ contentId }) => isBeingMoved(scene.rows.database.read, contentId)))
  const { id, targetId } = (await scene.confirm()).replacement
  await scene.create(targetId)
  await scene.stepUntil(id, ({ phase }) => phase === 'migrate')
  expect(await kept()).toEqual([false, false])
  await scene.step(id)
  expect(await kept()).toEqual([true, true])
  await scene.setCopy(targetId, contents[0] as (typeof contents)[number], 'committed')
  await scene.step(id)
  expect(await kept()).toEqual([false, true])
  await scene.sql(`update replacements set status = 'superseded', phase = 'none' where id = ?`, id)
  expect(await kept()).toEqual([false, false])
})
