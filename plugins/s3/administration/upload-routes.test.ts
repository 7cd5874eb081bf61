import { expect, test } from 'vitest'
import { SvcError } from '#kernel'
import { startTestListener, testAuthorization } from '#kernel/testing'
import type { Upload, Uploads } from '#plugins/storage'
import { openUploadRoutes } from './upload-routes.ts'

const upload = (key: string): Upload => ({
  id: `id of ${key}`,
  bucketId: 1,
  key,
  headers: { contentType: '', system: {}, user: {} },
  checksumAlgorithm: null,
  checksumType: null,
  initiator: null,
  createdAtMs: 0,
})

test('an upload that ends while the page is made is left out, and the others are shown by one query each', async () => {
  const asked: string[] = []
  const uploads: Pick<Uploads, 'list' | 'listParts'> = {
    list: async () => ({ uploads: ['a', 'ended', 'b'].map(upload), commonPrefixes: [], isTruncated: false }),
    async listParts({ key }) {
      asked.push(key)
      if (key === 'ended') throw new SvcError('upload_not_found', { status: 404, message: 'it ended' })
      return { upload: upload(key), parts: [], isTruncated: false }
    },
  }
  const services = { buckets: { require: () => ({ id: 1, name: 'photos' }) }, uploads }
  await using listener = await startTestListener({ routes: [{ answer: 'serve', services, group: openUploadRoutes }] })
  const answer = await listener.inject({ url: '/api/v1/buckets/photos/uploads', headers: { authorization: testAuthorization } })
  expect(answer.json()).toMatchObject({ uploads: [{ key: 'a' }, { key: 'b' }], has_more: false })
  expect(asked).toEqual(['a', 'ended', 'b'])
})
