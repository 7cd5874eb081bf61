import { join } from 'node:path'
import { expect } from 'vitest'
import { systemClock } from '#kernel'
import { runSql, silentLog } from '#kernel/testing'
import { knownKeepers } from '../catalog/contents/keeper-store.ts'
import { openMembers } from '../contents/open-member.ts'
import type { ObjectVersion, Versions } from '../contract.ts'
import { createVersions } from '../versions/versions.ts'
import { checkInvariants } from './check-invariants.ts'
import { type ObjectStorage, type ObjectStorageOptions, openObjectStorage } from './object-storage.ts'
import { createTestKeeper, type TestKeeper } from './test-keeper.ts'

/** Objects and their versions on a real database and real files. */
export interface VersionStorage extends ObjectStorage {
  readonly versions: Versions
  readonly keeper: TestKeeper
  /** Adds a durable copy of the content. Its cache entry becomes releasable with `updateReleasable`. */
  keep(version: ObjectVersion): Promise<void>
  /** Evicts the cached bytes. */
  uncache(version: ObjectVersion): Promise<void>
  /** Fails the test if an invariant is violated. */
  expectSound(): Promise<void>
}

/** Has a keeper in memory, unless others are given. */
export async function openVersionStorage(options: ObjectStorageOptions = {}): Promise<VersionStorage> {
  const { clock = systemClock } = options
  const keeper = createTestKeeper()
  const storage = await openObjectStorage({ keepers: [keeper], knownKeepers, ...options })
  const { database, buckets, cache, keepers, dir } = storage
  const openUncached = openMembers({ database }, options.openUncached ?? (() => Promise.reject(new Error('no provider reachable'))))
  return {
    ...storage,
    versions: createVersions({ database, buckets, cache, clock, log: silentLog, keepers, openUncached }),
    keeper,
    async keep({ contentId }) {
      const id = contentId ?? 0
      keeper.copies.set(id, (keeper.copies.get(id) ?? 0) + 1)
      await database.write((tx) =>
        runSql(tx, 'update contents set durable_copies = durable_copies + 1, readable_copies = readable_copies + 1 where id = ?', id),
      )
    },
    async uncache({ contentId }) {
      await database.write((tx) => runSql(tx, 'update cache_entries set releasable = 1 where content_id = ?', contentId))
      await cache.evict(contentId ?? 0)
    },
    async expectSound() {
      const { usedBytes, reservedBytes } = cache.stats()
      expect(await checkInvariants(database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
      expect(reservedBytes).toBe(0)
    },
  }
}
