/** Child process: sends the DSN of its database, fills the cache by reads and evicts it again, and kills itself with SIGKILL at a probe. */
import { runSql } from '#kernel/testing'
import { createColdSource } from '../cold-source.ts'
import { openObjectStorage, readAll } from '../object-storage.ts'
import { killAtProbe } from './kill-at-probe.ts'

const keys = ['a', 'b', 'c', 'd']

const dir = killAtProbe()

const source = createColdSource()
const storage = await openObjectStorage({ dir, fillsOnRead: true, openUncached: source.openUncached })
process.send?.(storage.dsn)
const contentIds: number[] = []
for (const [at, key] of keys.entries()) {
  const bytes = Buffer.from(`body ${key} `.repeat(at % 2 === 0 ? 100_000 : 20))
  const { contentId } = await storage.put(key, bytes)
  source.copies.set(contentId ?? 0, bytes)
  contentIds.push(contentId ?? 0)
}
await storage.database.write((tx) => runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2'))
for (;;) {
  await storage.database.write((tx) => runSql(tx, 'update cache_entries set releasable = 1'))
  for (const contentId of contentIds) await storage.cache.evict(contentId)
  await Promise.all(keys.map(async (key) => readAll(await storage.objects.open('photos', key))))
}
