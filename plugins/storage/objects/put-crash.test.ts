import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { getRow, silentLog } from '#kernel/testing'
import { checkInvariants } from '../testing/check-invariants.ts'
import { openObjectStorage } from '../testing/object-storage.ts'
import { dropAbandonedParts } from './held-parts.ts'

interface Acknowledged {
  readonly key: string
  readonly versionId: string
  readonly text: string
}

/** Enough puts to include overwrites and duplicate bytes. */
const hitsBeforeCrash = 40

async function crashAt(probe: string, dir: string): Promise<{ readonly dsn: string; readonly acknowledged: readonly Acknowledged[] }> {
  const program = fileURLToPath(new URL('../testing/crashing-puts.ts', import.meta.url))
  const child = fork(program, [dir, probe, String(hitsBeforeCrash)], { execArgv: [], execPath: process.execPath })
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  const [dsn, ...acknowledged] = messages as [string, ...Acknowledged[]]
  return { dsn, acknowledged }
}

test.each(['reserved', 'created', 'written', 'synced', 'folder-synced', 'part-committed', 'committing', 'committed', 'parts-dropped'])(
  'I-01: after a crash at storage.put.%s every acknowledged object is complete, all invariants hold, and orphans are swept',
  async (step) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-crash-'))
    try {
      const { dsn, acknowledged } = await crashAt(`storage.put.${step}`, dir)
      expect(acknowledged.length).toBeGreaterThan(0)
      await using storage = await openObjectStorage({ dir, dsn })
      await dropAbandonedParts({ ...storage, clock: systemClock, log: silentLog })
      for (const { key, versionId, text } of acknowledged) expect(await storage.text(key, versionId)).toBe(text)
      await storage.cache.startUpkeep()
      const { usedBytes } = storage.cache.stats()
      expect(await checkInvariants(storage.database.read, { cacheDir: join(dir, 'cache'), usedBytes })).toEqual([])
      const entries = await readdir(join(dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true })
      const rows = await getRow<{ n: number }>(storage.database.read, 'select count(*) as n from cache_blobs')
      expect(entries.filter((entry) => entry.isFile())).toHaveLength(rows?.n ?? -1)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  },
)
