import { expect, test } from 'vitest'
import { queryPlan, runsOnSqlite, watchStatements } from '#kernel/testing'
import { bucketsToCompact, compactable } from '../compaction/compaction-store.ts'
import { packsAfter, somePacks } from '../doctor/compared-pack-store.ts'
import { packedCopies } from '../saving/saving-store.ts'
import { indexedOf, versionsOf } from '../sealing/member-store.ts'
import { pageOfPacks } from '../shown/pack-store.ts'
import { sumPacks, sumPacksOf } from '../shown/sum-packs-store.ts'
import { membersOfLostPacks } from '../upkeep/pack-file-store.ts'
import { openPackScene } from './pack-scene.ts'

test.runIf(runsOnSqlite())('reads of packs begin at the packs of their bucket, and walk neither contents nor members', async () => {
  await using scene = await openPackScene()
  const { read } = scene.database
  const texts: string[] = []
  const watched = watchStatements(read, (sql) => texts.push(sql))
  await sumPacksOf(watched, 1)
  await packedCopies(watched, 1)
  await compactable(watched, 1)
  await pageOfPacks(watched, 1, { before: 5, limit: 1 })
  const ofBucket = await queryPlan(read, texts.splice(0))
  expect(ofBucket.filter((step) => step.includes('packs_of_bucket (bucket_id=?'))).toHaveLength(4)
  expect(ofBucket.filter((step) => step.includes('SCAN'))).toEqual([])
  await sumPacks(watched)
  await bucketsToCompact(watched)
  await membersOfLostPacks(watched, { after: 0, limit: 1 })
  await packsAfter(watched, 1, 1)
  await somePacks(watched, 1)
  const ofAll = await queryPlan(read, texts)
  expect(ofAll.filter((step) => step.startsWith('SEARCH c ') && !step.includes('PRIMARY KEY (rowid=?)'))).toEqual([])
  expect(ofAll.filter((step) => /^SCAN (c|m)\b/.test(step))).toEqual([])
})

test.runIf(runsOnSqlite())('of a content that many keys have, a pack reads some versions, and counts none', async () => {
  await using scene = await openPackScene()
  for (let at = 0; at < 130; at++) await scene.put(`k${at}`, 'the same bytes')
  const { contentId = 0 } = (await scene.objects.find('photos', 'k0')) ?? {}
  const texts: string[] = []
  const found = await versionsOf(
    watchStatements(scene.database.read, (sql) => texts.push(sql)),
    [contentId ?? 0],
  )
  expect(indexedOf(found.get(contentId ?? 0))).toMatchObject({ more: expect.any(Number) })
  expect(found.get(contentId ?? 0)?.total).toBe(130)
  const plan = await queryPlan(scene.database.read, texts)
  expect(plan.filter((step) => step.startsWith('SEARCH v '))).toEqual(['SEARCH v USING INDEX object_versions_by_id (version_id=?)'])
  expect(plan.filter((step) => /^(SCAN|SEARCH) o\b/.test(step))).toEqual([
    expect.stringContaining('object_versions_of_content (content_id=?)'),
  ])
})
