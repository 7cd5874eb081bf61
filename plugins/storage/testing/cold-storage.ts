import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runSql } from '#kernel/testing'
import type { ObjectVersion } from '../contract.ts'
import { type ColdSource, createColdSource } from './cold-source.ts'
import type { ObjectStorageOptions } from './object-storage.ts'
import { openVersionStorage, type VersionStorage } from './version-storage.ts'

/** More than one write to the file of a fill. */
export const step = 300 * 1024
const steps = 20

/** A storage whose cache is filled by reads from a source in memory. */
export interface ColdStorage extends VersionStorage {
  readonly source: ColdSource
  /** Puts bytes under the key, with two copies in the source, which are enough to evict them, and evicts them. */
  putCold(key: string, bytes?: Uint8Array): Promise<ObjectVersion & { readonly bytes: Uint8Array }>
  /** Waits until no fill runs. */
  settled(): Promise<void>
  /** Source of the bytes of a new reader. */
  sourceOf(key: string): Promise<string>
  /** Files in the cache folder. */
  files(): readonly string[]
}

export async function openColdStorage(options: ObjectStorageOptions = {}): Promise<ColdStorage> {
  const source = createColdSource()
  const { openUncached } = source
  const maxBytes = 64 * 1024 * 1024
  const fillLimits = { restBytes: step, ...options.fillLimits }
  const storage = await openVersionStorage({ maxBytes, fillsOnRead: true, openUncached, ...options, fillLimits })
  const { cache, dir, database } = storage
  return {
    ...storage,
    source,
    async putCold(key, bytes = randomBytes(steps * step)) {
      const version = await storage.put(key, bytes)
      const contentId = version.contentId ?? 0
      source.copies.set(contentId, bytes)
      storage.keeper.copies.set(contentId, 2)
      await database.write((tx) => runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2 where id = ?', contentId))
      await storage.uncache(version)
      return Object.assign(version, { bytes })
    },
    settled: () =>
      expect
        .poll(() => {
          const { started, finished, abandoned } = cache.fillCounts
          return [started - finished - abandoned, cache.stats().reservedBytes]
        })
        .toEqual([0, 0]),
    async sourceOf(key) {
      await using opened = await storage.objects.open('photos', key)
      return opened.source
    },
    files: () =>
      readdirSync(join(dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
      ),
  }
}
