import { expect, test } from 'vitest'
import { openReplacementScene } from '../testing/replacement-scene.ts'
import { replacementMetrics } from './replacement-metrics.ts'

test('replacements are counted by status, and those that wait by what they wait for', async () => {
  await using scene = await openReplacementScene()
  const { database } = scene.rows
  const counted = async () =>
    (await Promise.all(replacementMetrics.map((metric) => metric.collect({ database })))).map((samples) =>
      samples.filter(({ value }) => value !== 0).map(({ labels, value }) => ({ ...labels, value })),
    )
  expect(await counted()).toEqual([[], []])
  const { id } = (await scene.confirm()).replacement
  expect(await counted()).toEqual([[{ status: 'preparing_target', value: 1 }], []])
  await database.write((tx) => scene.engine.states.apply(tx, 'preparation_waits', id, { reason: 'funding', message: 'why' }))
  expect(await counted()).toEqual([[{ status: 'waiting', value: 1 }], [{ reason: 'funding', value: 1 }]])
  await database.write((tx) => scene.engine.states.apply(tx, 'preparation_failed', id, { message: 'why', failure: 'target_not_created' }))
  expect(await counted()).toEqual([[{ status: 'failed', value: 1 }], []])
})
