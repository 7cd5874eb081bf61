import { expect, onTestFinished, test } from 'vitest'
import { sqlStatement } from '#kernel'
import { hasPostgres, newPostgresDatabase, openTestDatabase, startPostgresProxy } from '#kernel/testing'
import { sumCachedBytes } from '../../catalog/cached/cache-entry-store.ts'
import type { ObjectVersion } from '../../contract.ts'
import { randomOf } from '../../testing/random.ts'
import { stageUploads } from '../../testing/staged-uploads.ts'
import { openVersionStorage, type VersionStorage } from '../../testing/version-storage.ts'

const clients = 6
const rounds = 8
const worksPerRound = 40

type Random = ReturnType<typeof randomOf>

const endSessions = sqlStatement<{ name: string }, { ended: number }>(
  'select count(pg_terminate_backend(pid)) as ended from pg_stat_activity where datname = :name',
)

/** Random changes of the cache; most of them fail while connections are killed. */
function worksOn(storage: VersionStorage, random: Random): readonly (() => Promise<unknown>)[] {
  const staged = stageUploads(storage.uploads)
  const stored: ObjectVersion[] = []
  const key = () => `k${random(8)}`
  // Some are kept in the database, some in files, and some have the content of others.
  const bytes = () => Buffer.alloc(1 + random(3000), random(4))
  const put = async () => stored.push(await storage.put(key(), bytes()))
  return [
    put,
    put,
    async () => stored.push(await staged.object(key(), [bytes(), bytes()])),
    async () => {
      const [version] = stored.splice(random(stored.length || 1), 1)
      if (version) await storage.versions.delete({ bucket: 'photos', key: version.key, versionId: version.versionId })
    },
    async () => {
      const upload = await staged.create(key())
      await staged.put(upload, 1, bytes())
      await staged.put(upload, 1, bytes())
      await staged.abort(upload)
    },
  ]
}

async function setUp(random: Random) {
  const dsn = await newPostgresDatabase()
  const proxy = await startPostgresProxy(dsn)
  const observer = await openTestDatabase([], { dsn: await newPostgresDatabase() })
  const storage = await openVersionStorage({ dsn: proxy.dsn, databaseBytesMax: 1000 })
  onTestFinished(async () => {
    await storage[Symbol.asyncDispose]()
    await observer[Symbol.asyncDispose]()
    proxy[Symbol.dispose]()
  })
  const up = () => proxy.setDown(false)
  const kills = [
    () => proxy.breakAll(),
    () => proxy.loseLock(),
    () => observer.read.get(endSessions, { name: new URL(dsn).pathname.slice(1) }),
    ...(['answer', 'request'] as const).flatMap((part) => [
      () => proxy.loseCommit(part),
      () => proxy.loseCommit(part, { staysDown: true }),
    ]),
    up,
    up,
  ]
  /** Runs with the connections back: commits that are still lost are looked up by the next one. */
  const sum = async (): Promise<number> => {
    up()
    return storage.database.write((tx) => sumCachedBytes(tx)).catch(sum)
  }
  return { storage, sum, works: worksOn(storage, random), kill: () => kills[random(kills.length)]?.() }
}

test.skipIf(!hasPostgres()).each([1, 2, 3])(
  'I-23: used bytes are those of the rows after connections were killed at random, seed %s',
  async (seed) => {
    const random = randomOf(seed)
    const { storage, sum, works, kill } = await setUp(random)
    const outcomes = { fulfilled: 0, rejected: 0 }
    for (let round = 0; round < rounds; round++) {
      let left = worksPerRound
      const client = async () => {
        while (left-- > 0) {
          const [{ status }] = await Promise.allSettled([works[random(works.length)]?.()])
          outcomes[status] += 1
          if (random(3) === 0) await kill()
        }
      }
      await Promise.all(Array.from({ length: clients }, client))
      const recorded = await sum()
      expect(storage.cache.stats(), `round ${round}`).toMatchObject({ usedBytes: recorded, reservedBytes: 0 })
    }
    expect(outcomes.fulfilled).toBeGreaterThan(0)
    expect(outcomes.rejected).toBeGreaterThan(0)
    await storage.expectSound()
  },
)
