/** Child process: seals without room in the cache, so that contents are handed over to the keepers, and kills itself with SIGKILL at a probe. */
import { silentLog } from '#kernel/testing'
import { openColdStorage } from '../../storage/testing/cold-storage.ts'
import { killAtProbe } from '../../storage/testing/crashes/kill-at-probe.ts'
import { collectUpTo } from '../../storage/testing/packs.ts'
import { packMigrations } from '../migrations.ts'
import { sealBucket } from '../sealing/seal-pack.ts'
import { place } from './pack-scene.ts'

const dir = killAtProbe()
const storage = await openColdStorage({
  ...{ dir, maxBytes: 10_000_000, collector: collectUpTo(50_000) },
  moreSchemas: [{ name: 'packs', migrations: packMigrations }],
})
process.send?.(storage.dsn)
const { database, packs, cached, cache } = storage
for (let at = 0; at < 150; at++) {
  const [key, text] = [`k${at}`, `the bytes of ${at} `.repeat(20)]
  const { versionId } = await storage.put(key, text)
  process.send?.({ key, versionId, text })
}
using _full = await cache.reserve(9_900_000)
const limits = { bytes: 1000, members: 1000, waitMs: 1, idleMs: 1 }
for (;;) {
  await sealBucket(
    {
      ...{ database, packs, cached, gauge: cache, log: silentLog, signal: new AbortController().signal },
      clock: { now: () => Date.now() + 60_000 } as never,
      fence: (own) => own,
      limitsOf: async () => limits,
    },
    place,
  )
}
