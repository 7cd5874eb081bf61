import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkInvariants } from '../../testing/check-invariants.ts'
import { afterCrash, expectNoOrphans } from '../../testing/crashes/crash-at.ts'
import { openObjectStorage } from '../../testing/object-storage.ts'

/** Enough fills to include evicted ones. */
const hitsBeforeCrash = 10

test.each(['created', 'written', 'synced', 'folder-synced', 'committing', 'committed'])(
  'I-03: after a crash at storage.fill.%s all invariants hold, and the file of the fill is cached or swept',
  (step) =>
    afterCrash({ program: './crashing-fills.ts', probe: `storage.fill.${step}`, hits: hitsBeforeCrash }, async ({ dir, dsn }) => {
      await using storage = await openObjectStorage({ dir, dsn })
      await storage.cache.startUpkeep()
      const { usedBytes } = storage.cache.stats()
      expect(await checkInvariants(storage.database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
      await expectNoOrphans(storage, dir)
    }),
)
