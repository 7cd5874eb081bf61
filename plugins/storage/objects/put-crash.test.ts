import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { silentLog } from '#kernel/testing'
import { checkInvariants } from '../testing/check-invariants.ts'
import { afterCrash, expectNoOrphans } from '../testing/crashes/crash-at.ts'
import { openObjectStorage } from '../testing/object-storage.ts'
import { dropAbandonedParts } from './held-parts.ts'

interface Acknowledged {
  readonly key: string
  readonly versionId: string
  readonly text: string
}

/** Enough puts to include overwrites and duplicate bytes. */
const hitsBeforeCrash = 40

test.each(['reserved', 'created', 'written', 'synced', 'folder-synced', 'part-committed', 'committing', 'committed', 'parts-dropped'])(
  'I-01: after a crash at storage.put.%s every acknowledged object is complete, all invariants hold, and orphans are swept',
  (step) =>
    afterCrash<Acknowledged>({ program: './crashing-puts.ts', probe: `storage.put.${step}`, hits: hitsBeforeCrash }, async (crashed) => {
      const { dir, dsn, acknowledged } = crashed
      expect(acknowledged.length).toBeGreaterThan(0)
      await using storage = await openObjectStorage({ dir, dsn })
      await dropAbandonedParts({ ...storage, clock: systemClock, log: silentLog })
      for (const { key, versionId, text } of acknowledged) expect(await storage.text(key, versionId)).toBe(text)
      await storage.cache.startUpkeep()
      const { usedBytes } = storage.cache.stats()
      expect(await checkInvariants(storage.database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
      await expectNoOrphans(storage, dir)
    }),
)
