import { expect, test } from 'vitest'
import { events } from '#kernel'
import { testKernel } from '#kernel/testing'
import { buckets } from '../contract.ts'
import { storagePlugin } from '../plugin.ts'

test('watchers are notified of a created or changed bucket once it is durable, and not of a refused change', async () => {
  await using svc = await testKernel({ plugins: [storagePlugin] })
  const notified: unknown[] = []
  const catalog = svc.kernel.get(buckets)
  svc.kernel.get(events).subscribe(({ topic, payload }) => {
    if (topic === 'bucket_updated') notified.push({ ...payload, copies: catalog.find('photos')?.defaultCopies })
  })
  // The service creates it, as the S3 API does.
  await catalog.create({ name: 'photos', ownerAccessKey: null, defaultCopies: 2 })
  expect(notified).toEqual([{ bucket_name: 'photos', copies: 2 }])
  await expect(catalog.create({ name: 'photos', ownerAccessKey: null })).rejects.toMatchObject({ code: 'bucket_exists' })
  await expect(catalog.setCopyPolicy('photos', { defaultCopies: 1 })).rejects.toMatchObject({ status: 400 })
  await catalog.setCopyPolicy('photos', { defaultCopies: 4 })
  await catalog.setOwner('photos', null)
  expect(notified).toEqual([2, 4, 4].map((copies) => ({ bucket_name: 'photos', copies })))
})
