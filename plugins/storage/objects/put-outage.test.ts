import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasPostgres, newPostgresDatabase, startPostgresProxy } from '#kernel/testing'
import { checkInvariants } from '../testing/check-invariants.ts'
import { openObjectStorage } from '../testing/object-storage.ts'

async function setUp() {
  const proxy = await startPostgresProxy(await newPostgresDatabase())
  const storage = await openObjectStorage({ dsn: proxy.dsn })
  onTestFinished(async () => {
    await storage[Symbol.asyncDispose]()
    proxy[Symbol.dispose]()
  })
  const files = async () => {
    const entries = await readdir(join(storage.dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).length
  }
  /** Puts 5 bytes, and calls `interrupt` when the body is complete. */
  const put = (interrupt: () => void) =>
    storage.put('k', 'bytes', {
      verify() {
        interrupt()
        return {}
      },
    })
  return { proxy, storage, files, put }
}

const onPostgres = test.skipIf(!hasPostgres())

onPostgres('I-23: puts leave no file in the cache when the database server goes away before their commit', async () => {
  const { proxy, storage, files, put } = await setUp()
  const refused = await Promise.allSettled([put(() => proxy.setDown(true)), put(() => proxy.setDown(true))])
  for (const result of refused) expect(result).toMatchObject({ reason: { code: 'database_unreachable' } })
  expect(await files()).toBe(0)
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 0 })
  proxy.setDown(false)
  await put(() => {})
  expect(await files()).toBe(1)
})

onPostgres('I-23: a put whose commit reached the server is counted, with the answer lost, also when the server was away then', async () => {
  const { proxy, storage, files, put } = await setUp()
  await put(() => proxy.loseCommit('answer'))
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 5, reservedBytes: 0 })
  const unanswered = storage.put('other', 'other bytes', {
    verify() {
      proxy.loseCommit('answer', { staysDown: true })
      return {}
    },
  })
  await expect(unanswered).rejects.toMatchObject({ code: 'database_unreachable' })
  proxy.setDown(false)
  await storage.database.write(() => undefined)
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 16, reservedBytes: 0 })
  expect(await files()).toBe(2)
  const { usedBytes } = storage.cache.stats()
  expect(await checkInvariants(storage.database.read, { cacheDir: join(storage.dir, 'cache'), usedBytes })).toEqual([])
})
