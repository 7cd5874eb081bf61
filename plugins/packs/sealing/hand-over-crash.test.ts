import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { getRow } from '#kernel/testing'
import { openColdStorage } from '../../storage/testing/cold-storage.ts'
import { afterCrash, expectNoOrphans } from '../../storage/testing/crashes/crash-at.ts'
import { collectUpTo } from '../../storage/testing/packs.ts'
import { packMigrations } from '../migrations.ts'

interface Acknowledged {
  readonly key: string
  readonly versionId: string
  readonly text: string
}

const program = fileURLToPath(new URL('../testing/crashing-hand-over.ts', import.meta.url))

test('I-01 I-09: killed after contents became pieces of their own for want of room, each is with the keepers or waits, and is read', () =>
  afterCrash<Acknowledged>({ program: `file://${program}`, probe: 'packs.handed-over', hits: 1 }, async ({ dir, dsn, acknowledged }) => {
    expect(acknowledged).toHaveLength(150)
    await using storage = await openColdStorage({
      ...{ dir, dsn, maxBytes: 10_000_000, collector: collectUpTo(50_000) },
      moreSchemas: [{ name: 'packs', migrations: packMigrations }],
    })
    for (const { key, versionId, text } of acknowledged) expect(await storage.text(key, versionId)).toBe(text)
    const { database } = storage
    // One page was handed over, and what the keepers must know again is found at a start.
    expect(await getRow(database.read, 'select count(*) as n from waiting_members')).toEqual({ n: 50 })
    const unknown = `select count(*) as n from contents c where c.store_state = 'unstored' and c.state = 'live'
      and not exists (select 1 from waiting_members w where w.content_id = c.id)`
    expect(await getRow(database.read, unknown)).toEqual({ n: 100 })
    expect(await getRow(database.read, 'select count(*) as n from pack_members')).toEqual({ n: 0 })
    await expectNoOrphans(storage, dir)
    await storage.expectSound()
  }))
