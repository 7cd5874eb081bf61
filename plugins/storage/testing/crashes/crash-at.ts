import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { getRow } from '#kernel/testing'
import type { ObjectStorage } from '../object-storage.ts'

interface Crash {
  /** A program of this folder, which works until it kills itself: see `killAtProbe`. */
  readonly program: string
  readonly probe: string
  /** How often the probe is reached before the crash. */
  readonly hits: number
}

interface Crashed<T> {
  readonly dir: string
  readonly dsn: string
  /** What the program reported as acknowledged. */
  readonly acknowledged: readonly T[]
}

/** Runs the program in a new directory until it was killed, then calls `check`. */
export async function afterCrash<T>({ program, probe, hits }: Crash, check: (crashed: Crashed<T>) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-crash-'))
  try {
    const path = fileURLToPath(new URL(program, import.meta.url))
    const child = fork(path, [dir, probe, String(hits)], { execArgv: [], execPath: process.execPath })
    const messages: unknown[] = []
    child.on('message', (message) => messages.push(message))
    const [, signal] = await once(child, 'close')
    expect(signal).toBe('SIGKILL')
    const [dsn, ...acknowledged] = messages as [string, ...T[]]
    await check({ dir, dsn, acknowledged })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Every file of the cache has a row. */
export async function expectNoOrphans({ database }: Pick<ObjectStorage, 'database'>, dir: string): Promise<void> {
  const entries = await readdir(join(dir, 'cache', 'blobs'), { recursive: true, withFileTypes: true })
  const rows = await getRow<{ n: number }>(database.read, 'select count(*) as n from cache_blobs')
  expect(entries.filter((entry) => entry.isFile())).toHaveLength(rows?.n ?? -1)
}
