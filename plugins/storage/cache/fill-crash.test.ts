import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { getRow } from '#kernel/testing'
import { checkInvariants } from '../testing/check-invariants.ts'
import { openObjectStorage } from '../testing/object-storage.ts'

/** Enough fills to include evicted ones. */
const hitsBeforeCrash = 10

async function crashAt(probe: string, dir: string): Promise<string> {
  const program = fileURLToPath(new URL('../testing/crashing-fills.ts', import.meta.url))
  const child = fork(program, [dir, probe, String(hitsBeforeCrash)], { execArgv: [], execPath: process.execPath })
  const dsn = once(child, 'message')
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  return String((await dsn)[0])
}

test.each(['created', 'written', 'synced', 'folder-synced', 'committing', 'committed'])(
  'I-03: after a crash at storage.fill.%s all invariants hold, and the file of the fill is cached or swept',
  async (step) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-fill-crash-'))
    try {
      const dsn = await crashAt(`storage.fill.${step}`, dir)
      await using storage = await openObjectStorage({ dir, dsn })
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
