import { expect, test } from 'vitest'
import { definePlugin } from '#kernel'
import { testKernel } from '#kernel/testing'
import { bucketDeletions, buckets } from '../contract.ts'
import { storagePlugin } from '../plugin.ts'

test('other plugins hear of the deletion of a bucket inside its transaction', async () => {
  const deleted: number[] = []
  const listener = definePlugin({
    id: 'listener',
    requires: ['storage'],
    contributes: [bucketDeletions.with({ name: 'listener', deleted: async (_tx, bucketId) => void deleted.push(bucketId) })],
  })
  await using svc = await testKernel({ plugins: [storagePlugin, listener] })
  const all = svc.kernel.get(buckets)
  const { id } = await all.create({ name: 'doomed', ownerAccessKey: null })
  await all.delete('doomed')
  expect(deleted).toEqual([id])
})
