/** The disk of the cache is unmounted under a gateway that has just started, and mounted again. Needs root. */
import { randomBytes } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { filesBelow } from '../../plugins/storage/testing/files-below.ts'
import { canMount, mountCache } from '../../plugins/storage/testing/mounted-cache.ts'
import { createAdminData } from '../fixtures/admin-data.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'

const [older, newer] = [randomBytes(200_000), randomBytes(300_000)]

test.runIf(canMount)('I-38: no acknowledged object is below the mount point, and none is lost', async () => {
  using place = mountCache()
  const options = { dir: place.dir, settings: { 'cache.dir': place.below } }
  await using first = await startServeHere(options)
  const user = await first.createUser()
  const Bucket = await createAdminData(first).makeBucket({ default_copies: 1, owner_access_key: user.access_key })
  const put = (s3: S3Client, Key: string, Body: Buffer) => s3.send(new PutObjectCommand({ Bucket, Key, Body }))
  const get = async (s3: S3Client, Key: string) =>
    Buffer.from((await (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToByteArray()) ?? [])
  const before = first.connect(user)
  await put(before, 'older', older)
  before.destroy()
  await first.stop()

  await using svc = await startServeHere(options)
  await using clients = new AsyncDisposableStack()
  const s3 = clients.adopt(svc.connect(user), (client) => client.destroy())
  const health = async () => (await svc.call('GET', '/healthz', { as: 'anonymous' })).json
  expect(await health()).toEqual({ status: 'ok' })
  place.drop()
  await expect(put(s3, 'newer', newer)).rejects.toMatchObject({ name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } })
  await expect(get(s3, 'older')).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } })
  // Small objects are in the database.
  await put(s3, 'small', older.subarray(0, 1000))
  expect(await health()).toEqual({ status: 'unhealthy', errors: ['cache: its disk is not mounted'] })
  expect(filesBelow(place.below)).toEqual([])

  place.restore()
  expect((await get(s3, 'older')).equals(older)).toBe(true)
  await put(s3, 'newer', newer)
  expect((await get(s3, 'newer')).equals(newer)).toBe(true)
  expect((await get(s3, 'small')).equals(older.subarray(0, 1000))).toBe(true)
  expect(await health()).toEqual({ status: 'ok' })
})
