import { expect, test } from 'vitest'
import { allRows, checkTaskKind } from '#kernel/testing'
import { dayMs, type LifecycleScene, openLifecycleScene } from '../testing/lifecycle-scene.ts'
import { applyRulesTask } from './apply-rules-task.ts'

/** Two versions of a key with the same bytes as another key, one of a third, and copies of both contents, one of which is busy. */
async function fill(scene: LifecycleScene): Promise<void> {
  const shared = await scene.put('a', 'shared')
  await scene.put('b', 'shared')
  const single = await scene.put('a', 'single')
  await scene.put('a', 'third')
  for (const version of [shared, single]) await scene.keep(version)
  scene.keeper.busy.add(single.contentId ?? 0)
}

const stateOf = async ({ database, keeper, cache }: LifecycleScene) => ({
  versions: await allRows(database.read, 'select bucket_id, key, content_id, is_delete_marker from object_versions order by key, rseq'),
  contents: await allRows(database.read, 'select * from contents order by id'),
  stats: await allRows(database.read, 'select * from bucket_stats'),
  released: keeper.released,
  usedBytes: cache.stats().usedBytes,
})

test('a version that a rule deletes goes as one that a client deletes: shared contents, keepers, counts and the cache', async () => {
  await using byRule = await openLifecycleScene()
  await using byClient = await openLifecycleScene()
  await fill(byRule)
  await fill(byClient)
  await byRule.setRules({ noncurrent: { days: 1 } })
  for (const { clock } of [byRule, byClient]) await clock.advance(dayMs)
  await byRule.run()
  const { versions } = await byClient.versions.list({ bucket: 'photos', limit: 10 })
  const items = versions.flatMap(({ key, versionId, isCurrent }) => (isCurrent ? [] : { key, versionId }))
  await byClient.versions.deleteMany({ bucket: 'photos', items })
  expect(await stateOf(byRule)).toEqual(await stateOf(byClient))
  expect(byRule.keeper.released).toHaveLength(1)
  expect(await byRule.text('b')).toBe('shared')
  await byRule.expectSound()
})

test('I-09: a second run of the task changes nothing', async () => {
  await using scene = await openLifecycleScene()
  await fill(scene)
  await scene.setRules({ noncurrent: { days: 1 }, expiration: { kind: 'days', days: 1 } })
  await scene.clock.advance(dayMs)
  await checkTaskKind({
    kind: applyRulesTask,
    args: { bucketId: scene.photos().id, bucket: 'photos', dueMs: scene.clock.now() },
    services: scene.deps as never,
    snapshot: () => stateOf(scene),
  })
  expect(await scene.keys()).toEqual(['a*', 'a', 'b*', 'b'])
})
