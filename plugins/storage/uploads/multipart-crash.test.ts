import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allRows, getRow, listProbes } from '#kernel/testing'
import { checkInvariants } from '../testing/check-invariants.ts'
import { afterCrash, expectNoOrphans } from '../testing/crashes/crash-at.ts'
import { openObjectStorage, readAll } from '../testing/object-storage.ts'

interface Acknowledged {
  readonly bucket: string
  readonly key: string
  readonly versionId: string
  readonly text: string
}

/** Enough for several completions, copies and aborts. */
const hitsBeforeCrash = 6

const probes = listProbes().filter((name) => /^storage\.(copy|upload)\./.test(name))

test('multipart_complete_crash covers every probe of uploads and copies', () => {
  expect(probes).toHaveLength(16)
})

test.each(probes)(
  'multipart_complete_crash I-01 I-03 I-23: after a crash at %s every acknowledged object is complete, open uploads can be ended, and orphans are swept',
  { timeout: 60_000 },
  (probe) =>
    afterCrash<Acknowledged>({ program: './crashing-uploads.ts', probe, hits: hitsBeforeCrash }, async ({ dir, dsn, acknowledged }) => {
      await using storage = await openObjectStorage({ dir, dsn })
      const { read } = storage.database
      for (const { bucket, key, versionId, text } of acknowledged) {
        expect(Buffer.from(await readAll(await storage.objects.open(bucket, key, versionId))).toString()).toBe(text)
      }
      const state = () => ({ cacheDir: join(dir, 'cache'), usedBytes: storage.cache.stats().usedBytes })
      expect(await checkInvariants(read, state())).toEqual([])
      await storage.cache.startUpkeep()
      expect(await checkInvariants(read, state())).toEqual([])
      const open = await allRows<{ key: string; uploadId: string }>(
        read,
        `select key, upload_id as "uploadId" from uploads where state = 'open'`,
      )
      for (const upload of open) await storage.uploads.abort({ bucket: 'photos', ...upload })
      expect(await checkInvariants(read, state())).toEqual([])
      expect(await getRow(read, 'select upload_id from upload_parts')).toBeUndefined()
      await expectNoOrphans(storage, dir)
    }),
)
