import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { runSql } from '#kernel/testing'
import { openPackScene, type PackScene } from '../testing/pack-scene.ts'
import { comparePack } from './compare-pack.ts'
import { packsAfter } from './compared-pack-store.ts'

async function findings({ database: { read }, packs }: PackScene) {
  const [pack] = await packsAfter(read, 0, 4)
  if (!pack) throw new Error('there is no pack')
  return (await comparePack({ packs, read }, pack)).map(({ severity, message }) => [severity, message])
}

test('a pack at a provider is compared with the rows of its members', async () => {
  await using scene = await openPackScene()
  const versions = [await scene.put('a', randomBytes(100)), await scene.put('b', randomBytes(200))]
  await scene.seal()
  const packId = await scene.store()
  expect(await findings(scene)).toEqual([])
  await scene.packs.releaseFile(packId)
  expect(await findings(scene)).toEqual([])
  const whole = scene.source.copies.get(packId) ?? Buffer.alloc(0)
  const torn = Buffer.from(whole)
  torn.fill(0, torn.length - 200)
  scene.source.copies.set(packId, torn)
  expect(await findings(scene)).toEqual([['error', 'there is no footer of a segment']])
  scene.source.copies.delete(packId)
  await expect(findings(scene)).rejects.toThrow(/no copy/)
  scene.source.copies.set(packId, whole)
  await scene.database.write((tx) =>
    runSql(tx, 'update pack_members set offset_bytes = offset_bytes + 1 where content_id = ?', versions[1]?.contentId ?? 0),
  )
  expect(await findings(scene)).toEqual([['error', expect.stringMatching(/^content 2 is not at \d+ in its index$/)]])
})
