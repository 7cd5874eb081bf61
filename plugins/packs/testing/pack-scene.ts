import { readFileSync } from 'node:fs'
import { allRows, createFakeClock, silentLog } from '#kernel/testing'
import { definePackCollector } from '#plugins/storage'
import { openColdStorage } from '../../storage/testing/cold-storage.ts'
import { askToCompact } from '../compaction/compaction-store.ts'
import { packMigrations } from '../migrations.ts'
import { setPacking, setSealAsked } from '../policies/packing-store.ts'
import { sealBucket } from '../sealing/seal-pack.ts'

const limits = { bytes: 200_000, members: 1000, waitMs: 600_000, idleMs: 60_000 }
export const place = { bucketId: 1, bucket: 'photos' }

export type PackScene = Awaited<ReturnType<typeof openPackScene>>

/** Storage whose small objects are packed, with copies of packs in memory. */
export async function openPackScene({ collectBytesMax = 50_000 } = {}) {
  const clock = createFakeClock()
  /** Larger contents are pieces of their own. */
  const collecting = { bytesMax: collectBytesMax }
  const collector = definePackCollector({
    name: 'test',
    uses: {},
    collects: async (_services, _tx, { size }) => size <= collecting.bytesMax,
  })
  const storage = await openColdStorage({
    collector,
    fillsOnRead: false,
    moreSchemas: [{ name: 'packs', migrations: packMigrations }],
    clock,
  })
  const { database, packs, cache, cached, source, keeper } = storage
  await database.write((tx) => setPacking(tx, 1, 'small'))
  const deps = {
    ...{ database, packs, cached, gauge: cache, clock, log: silentLog, signal: new AbortController().signal, months: 12 },
    fence: (own: typeof database) => own,
    limitsOf: async () => limits,
    prices: async () => undefined,
    finalCopies: async (id: number) => keeper.copies.get(id) ?? 0,
  }
  /** The last content that the keeper was given: a pack. */
  const newest = () => keeper.needed.at(-1)?.id ?? 0
  return Object.assign(storage, {
    collecting,
    deps,
    newest,
    /** Gives a cached pack this many copies, with its bytes in the source. */
    async store(packId = newest(), copies = 2): Promise<number> {
      source.copies.set(packId, readFileSync((await cached.locate(packId))?.segments[0]?.path ?? ''))
      keeper.copies.set(packId, copies)
      await database.write((tx) => storage.contents.recount(tx, [packId], 1))
      return packId
    },
    /** Seals what waits. */
    async seal(): Promise<void> {
      await database.write((tx) => setSealAsked(tx, 1, true))
      await sealBucket(deps, place)
    },
    ask: (packId: number) => database.write((tx) => askToCompact(tx, packId)),
    async evictAll() {
      for (const { id } of await allRows<{ id: number }>(database.read, 'select content_id as id from cache_entries')) await cache.evict(id)
    },
    members: (packId: number) => allRows(database.read, 'select content_id from pack_members where pack_id = ?', packId),
  })
}
