import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#kernel'
import { openTestDatabase, silentLog } from '#kernel/testing'
import { openEpoch, unsweptEpochs } from '../../catalog/cached/cache-epoch-store.ts'
import { storageMigrations } from '../../migrations/all-migrations.ts'
import { type Disk, realDisk } from '../files/disk.ts'
import { sweepOrphans } from './sweep.ts'

const startMs = Date.UTC(2026, 0, 1)

/** An earlier start with orphan files, and the current start. */
async function leftovers(ids: readonly string[], disk: Disk = realDisk) {
  const root = { require: async () => ({ descriptor: 0, place: '' }) }
  const dir = mkdtempSync(join(tmpdir(), 'svc-sweep-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const database = await openTestDatabase([{ name: 'storage', migrations: storageMigrations }], { dir })
  onTestFinished(() => database[Symbol.asyncDispose]())
  const former = await database.write((tx) => openEpoch(tx, 1000, 'cache'))
  const epoch = await database.write((tx) => openEpoch(tx, 2000, 'cache'))
  const folder = join(dir, 'blobs', String(former), '00')
  mkdirSync(folder, { recursive: true })
  const paths = ids.map((id) => {
    const path = join(folder, id)
    writeFileSync(path, 'half a body')
    utimesSync(path, startMs / 1000 - 1, startMs / 1000 - 1)
    return path
  })
  return {
    folder,
    paths,
    sweep: () =>
      sweepOrphans({ database, disk, root, dir, epoch, startMs, clock: systemClock, log: silentLog, signal: new AbortController().signal }),
    isSwept: async () => (await unsweptEpochs(database.read, epoch)).length === 0,
  }
}

const exist = (paths: readonly string[]) => paths.map((path) => existsSync(path))

test('a file written after this start began is kept, and checked again by the next start', async () => {
  const { paths, sweep, isSwept } = await leftovers(['old', 'young'])
  utimesSync(paths[1] ?? '', startMs / 1000, startMs / 1000)
  expect(await sweep()).toEqual({ removedFiles: 1 })
  expect(exist(paths)).toEqual([false, true])
  expect(await isSwept()).toBe(false)
  utimesSync(paths[1] ?? '', startMs / 1000 - 1, startMs / 1000 - 1)
  expect(await sweep()).toEqual({ removedFiles: 1 })
  expect([...exist(paths), await isSwept()]).toEqual([false, false, true])
})

test('a file that vanishes during the sweep does not end it', async () => {
  const disk: Disk = {
    ...realDisk,
    async unlink(path) {
      if (path.endsWith('b')) rmSync(path)
      await realDisk.unlink(path)
    },
  }
  const { paths, sweep, isSwept } = await leftovers(['a', 'b', 'c'], disk)
  expect(await sweep()).toEqual({ removedFiles: 2 })
  expect([...exist(paths), await isSwept()]).toEqual([false, false, false, true])
})

test('a stray file between the folders does not end the sweep', async () => {
  const { folder, paths, sweep, isSwept } = await leftovers(['a'])
  writeFileSync(join(folder, '..', '.DS_Store'), '')
  expect(await sweep()).toEqual({ removedFiles: 1 })
  expect([...exist(paths), await isSwept()]).toEqual([false, false])
})

test('a file that cannot be removed leaves its epoch unswept for the next start; other files are removed', async () => {
  let isBroken = true
  const disk: Disk = {
    ...realDisk,
    unlink: (path) => (isBroken && path.endsWith('b') ? Promise.reject(new Error('EIO: i/o error')) : realDisk.unlink(path)),
  }
  const { paths, sweep, isSwept } = await leftovers(['a', 'b', 'c'], disk)
  expect(await sweep()).toEqual({ removedFiles: 2 })
  expect([...exist(paths), await isSwept()]).toEqual([false, true, false, false])
  isBroken = false
  expect(await sweep()).toEqual({ removedFiles: 1 })
  expect(await isSwept()).toBe(true)
})
