import { hash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Bucket } from '#plugins/storage'
import { signedRequest } from '../../testing/signed-request.ts'
import { noStoredSettings, owner, plain, startStoredServer } from '../../testing/test-server.ts'
import { readHeaders } from '../../wire/headers.ts'
import { deleteBucket } from '../buckets/delete-bucket.ts'
import { listObjectVersions } from '../listing/list-object-versions.ts'
import { createMultipartUpload } from '../multipart/create-multipart-upload.ts'
import type { ObjectRequest, Operation, S3Services } from '../operation.ts'
import { copyObject } from './copy-object.ts'
import { deleteObject } from './delete-object.ts'
import { deleteObjects } from './delete-objects.ts'
import { deleteObjectTagging } from './object-tagging.ts'
import { putObject } from './put-object.ts'

let server: Awaited<ReturnType<typeof startStoredServer>>

beforeAll(async () => {
  server = await startStoredServer()
})

afterAll(() => server[Symbol.asyncDispose]())

const put = (bucket: string, key: string) =>
  server.send({ method: 'PUT', url: `/${bucket}/${key}`, body: 'x'.repeat(200), user: bucket === 'source' ? owner : plain })
const keysOf = async (bucket: string) =>
  (await server.storage.versions.list({ bucket, limit: 10 })).versions.map(({ key, isDeleteMarker }) => [key, isDeleteMarker])

/** Another user gets the name of the bucket, and stores `k`. */
async function recreate({ name }: Pick<Bucket, 'name'>): Promise<void> {
  await server.storage.buckets.delete(name)
  await server.storage.buckets.create({ name, ownerAccessKey: plain.accessKey })
  expect(await put(name, 'k')).toMatchObject({ status: 200 })
}

const deletion = '<Delete><Object><Key>k</Key></Object></Delete>'

function requestTo(bucket: Bucket, headers: readonly string[] = []): ObjectRequest {
  async function* bytes() {
    yield Buffer.from(deletion)
  }
  return {
    method: 'PUT',
    query: new Map(),
    headers: readHeaders([...headers]),
    resourceUrl: 'http://localhost/',
    caller: owner,
    now: Date.now(),
    bucket,
    key: 'k',
    async require() {},
    async confirm() {},
    clientSignal: () => AbortSignal.any([]),
    holdMemory: () => {},
    openBody: async () => ({ bytes: bytes(), declaredLength: deletion.length, verify: () => ({}), arrived: () => undefined }) as never,
  }
}

const run = async (operation: Operation, request: ObjectRequest, services: Partial<S3Services> = {}) => {
  if (operation.scope !== 'bucket' && operation.scope !== 'object') throw new Error('an operation of buckets or objects is expected')
  return await operation.run(request, { ...server.storage, ...noStoredSettings, ...services })
}

test.each([
  ['PutObject', putObject, []],
  ['PutObject with a condition', putObject, ['if-match', '*']],
  ['CopyObject', copyObject, ['x-amz-copy-source', '/source/k']],
  ['DeleteObject', deleteObject, []],
  ['DeleteObject with a condition', deleteObject, ['if-match', '*']],
  ['DeleteObjects', deleteObjects, ['content-md5', 'x']],
  ['DeleteObjectTagging', deleteObjectTagging, []],
  ['CreateMultipartUpload', createMultipartUpload, []],
  ['ListObjectVersions', listObjectVersions, []],
  ['DeleteBucket', deleteBucket, []],
] as const)('%s has no effect on a new bucket with the name of the one that was asked for', async (name, operation, headers) => {
  const bucket = await server.storage.buckets.create({ name: name.toLowerCase().replaceAll(' ', '-'), ownerAccessKey: owner.accessKey })
  if (server.storage.buckets.find('source') === undefined) {
    await server.storage.buckets.create({ name: 'source', ownerAccessKey: owner.accessKey })
    await put('source', 'k')
  }
  await recreate(bucket)
  await expect(run(operation, requestTo(bucket, headers))).rejects.toMatchObject({ code: 'bucket_not_found' })
  expect(await keysOf(bucket.name)).toEqual([['k', false]])
  expect((await server.storage.uploads.list({ bucket: bucket.name, limit: 10 })).uploads).toEqual([])
})

test('the list of a stalled DeleteObjects deletes nothing in a new bucket that got the name meanwhile', async () => {
  const name = await server.newBucket()
  const options = { method: 'POST', url: `/${name}?delete`, payload: 'UNSIGNED-PAYLOAD', user: owner }
  const unsignedHeaders = {
    expect: '100-continue',
    'content-length': String(deletion.length),
    'content-md5': hash('md5', deletion, 'base64'),
  }
  const socket = connect(server.port, '127.0.0.1')
  socket.write(signedRequest(server.port, { ...options, unsignedHeaders }).head)
  const [continued] = await once(socket, 'data')
  expect(String(continued)).toContain('100 Continue')
  socket.write(deletion.slice(0, 10))
  await recreate({ name })
  socket.write(deletion.slice(10))
  const [answer] = await once(socket, 'data')
  socket.destroy()
  expect(String(answer)).toMatch(/^HTTP\/1.1 404 [\s\S]*<Code>NoSuchBucket</)
  expect(await keysOf(name)).toEqual([['k', false]])
})

test('a copy does not land in a new bucket that got the name while the checksum of the source was calculated', async () => {
  const from = await server.newBucket()
  await server.send({ method: 'PUT', url: `/${from}/k`, body: 'x'.repeat(200), user: owner })
  const bucket = server.storage.buckets.require(await server.newBucket())
  const { objects } = server.storage
  const services = {
    objects: {
      ...objects,
      async open(...place: Parameters<typeof objects.open>) {
        await recreate(bucket)
        return await objects.open(...place)
      },
    },
  }
  const headers = ['x-amz-copy-source', `/${from}/k`, 'x-amz-checksum-algorithm', 'SHA1']
  await expect(run(copyObject, requestTo(bucket, headers), services)).rejects.toMatchObject({ code: 'bucket_not_found' })
  expect(await keysOf(bucket.name)).toEqual([['k', false]])
})
