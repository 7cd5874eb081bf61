import { expect, test } from 'vitest'
import { fullDisk } from '../../storage/testing/full-disk.ts'
import { owner, startTestServer } from '../testing/test-server.ts'

const kib = 1024

/** Answers 507. Returns the message. */
async function putInto(storage: NonNullable<Parameters<typeof startTestServer>[0]>['storage'], bytes: number): Promise<string | undefined> {
  await using server = await startTestServer({ storage: { databaseBytesMax: 0, ...storage } })
  const url = `/${await server.newBucket()}/key`
  const answer = await server.send({ method: 'PUT', url, user: owner, body: Buffer.alloc(bytes) })
  expect(answer).toMatchObject({ status: 507, code: 'InsufficientStorage' })
  expect(server.storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 0 })
  return /<Message>(.*)<\/Message>/.exec(answer.body)?.[1]
}

test('a body that is larger than the cache is refused with the size of the cache and the setting', async () => {
  expect(await putInto({ maxBytes: 64 * kib }, 65 * kib)).toBe(
    '66560 bytes are more than the whole cache of 65536 bytes; raise cache.max_size_gb',
  )
})

test.each(['ENOSPC', 'EDQUOT'])(
  'a full disk of the cache (%s) is refused as such, also when the cache is below its limit',
  async (code) => {
    expect(await putInto({ disk: fullDisk(code) }, 65 * kib)).toBe(
      'the disk of cache.dir is full; free space on it or lower cache.max_size_gb',
    )
  },
)
