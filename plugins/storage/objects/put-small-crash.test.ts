import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkInvariants } from '../testing/check-invariants.ts'
import { afterCrash } from '../testing/crashes/crash-at.ts'
import { openObjectStorage } from '../testing/object-storage.ts'

interface Acknowledged {
  readonly key: string
  readonly versionId: string
  readonly text: string
}

/** Enough puts to include overwrites and duplicate bytes. */
const hitsBeforeCrash = 40

test.each(['reserved', 'collected', 'committing', 'committed'])(
  'I-01: after a crash at storage.put.%s every acknowledged small object is complete, and all invariants hold',
  (step) =>
    afterCrash<Acknowledged>(
      { program: './crashing-small-puts.ts', probe: `storage.put.${step}`, hits: hitsBeforeCrash },
      async (crashed) => {
        const { dir, dsn, acknowledged } = crashed
        expect(acknowledged.length).toBeGreaterThan(0)
        await using storage = await openObjectStorage({ dir, dsn })
        for (const { key, versionId, text } of acknowledged) expect(await storage.text(key, versionId)).toBe(text)
        await storage.cache.startUpkeep()
        const { usedBytes } = storage.cache.stats()
        expect(await checkInvariants(storage.database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
      },
    ),
)
