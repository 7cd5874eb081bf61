import { expect, test } from 'vitest'
import { noStoredSettings, plain, startStoredServer } from '../../testing/test-server.ts'
import { readHeaders } from '../../wire/headers.ts'
import { createMultipartUpload } from './create-multipart-upload.ts'

test('an upload whose owner cannot be stored is not created', async () => {
  await using server = await startStoredServer()
  const { storage } = server
  const bucket = storage.buckets.require(await server.newBucket())
  const operation = createMultipartUpload
  if (operation.scope !== 'object') throw new Error('an operation of objects is expected')
  const request = {
    method: 'POST',
    query: new Map(),
    headers: readHeaders([]),
    resourceUrl: 'http://localhost/',
    caller: plain,
    now: Date.now(),
    bucket,
    key: 'k',
    async require() {},
    async confirm() {},
    clientSignal: () => AbortSignal.any([]),
    holdMemory: () => {},
    openBody: () => Promise.reject(new Error('no body is expected')),
  }
  const addToUpload = () => Promise.reject(new Error('not stored'))
  const services = { ...storage, ...noStoredSettings, accessLists: { ...noStoredSettings.accessLists, addToUpload } }
  await expect(operation.run(request, services)).rejects.toThrow('not stored')
  expect((await storage.uploads.list({ bucket, limit: 10 })).uploads).toEqual([])
})
