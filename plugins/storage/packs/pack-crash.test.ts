import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getRow } from '#kernel/testing'
import { checkInvariants } from '../testing/check-invariants.ts'
import { afterCrash } from '../testing/crashes/crash-at.ts'
import { openObjectStorage } from '../testing/object-storage.ts'
import { collectUpTo, packAll } from '../testing/packs.ts'

interface Acknowledged {
  readonly key: string
  readonly versionId: string
  readonly text: string
}

test.each(['created', 'written', 'synced', 'folder-synced', 'committed'])(
  'I-01 I-03: after a crash at storage.pack.%s every object waits or is in a pack once, and no file is left',
  (step) =>
    afterCrash<Acknowledged>(
      { program: './crashing-packs.ts', probe: `storage.pack.${step}`, hits: 3 },
      async ({ dir, dsn, acknowledged }) => {
        expect(acknowledged.length).toBeGreaterThan(5)
        await using storage = await openObjectStorage({ dir, dsn, collector: collectUpTo(1000) })
        await storage.cache.startUpkeep()
        for (const { key, versionId, text } of acknowledged) expect(await storage.text(key, versionId)).toBe(text)
        const taken = 'select (select count(*) from waiting_members) + (select count(*) from pack_members) as n'
        const count = Number((await getRow<{ n: number }>(storage.database.read, taken))?.n)
        expect(count).toBeGreaterThanOrEqual(acknowledged.length)
        await packAll(storage)
        expect(await getRow(storage.database.read, 'select count(*) as n from waiting_members')).toEqual({ n: 0 })
        const { usedBytes } = storage.cache.stats()
        expect(await checkInvariants(storage.database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
        const files = await getRow<{ n: number }>(storage.database.read, 'select count(*) as n from cache_blobs where epoch > 0')
        const entries = readdirSync(join(dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true })
        expect(entries.filter((entry) => entry.isFile())).toHaveLength(files?.n ?? -1)
      },
    ),
)
