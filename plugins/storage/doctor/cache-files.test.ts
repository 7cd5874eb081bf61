/** What `svc doctor` finds of cached files that cannot be read, and repairs. */
import { chmod, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { blobPath } from '../cache/files/cache-paths.ts'
import { blobsOfContent } from '../catalog/cached/cache-entry-store.ts'
import { findingsOf } from '../testing/check-invariants.ts'
import { canMount, mountCache } from '../testing/mounted-cache.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'
import { storageChecks } from './checks.ts'
import { fixNames } from './fix-names.ts'
import { storageFixes } from './fixes.ts'

let storage: VersionStorage
beforeEach(async () => {
  storage = await openVersionStorage()
  await storage.put('one', 'the bytes of one')
  await storage.put('two', 'the bytes of two')
})
afterEach(() => storage[Symbol.asyncDispose]())

const settings = () => ({ dir: join(storage.dir, 'cache') })
const check = async (name: string) => {
  const found = storageChecks.find((one) => one.name === name)
  if (!found) throw new Error(`no check is named ${name}`)
  return findingsOf(found, storage.database.read, { settings: settings() })
}
const pathOf = async (key: string) => {
  const [row] = await allRows<{ id: string; epoch: number }>(
    storage.database.read,
    'select f.blob_id as id, f.epoch from cache_blobs f join object_versions v on v.content_id = f.content_id where v.key = ?',
    key,
  )
  return blobPath(settings().dir, row?.id ?? '', row?.epoch ?? 0)
}
const keepAll = () => storage.database.write((tx) => runSql(tx, 'update contents set readable_copies = 1, durable_copies = 1'))
const fix = (target: string) => {
  const { cache, database } = storage
  const found = storageFixes.find(({ name }) => name === fixNames.forgetFile)
  return found?.apply({ database, cache, settings: settings() } as never, target)
}

/** Puts something else at the path. */
const damages: readonly (readonly [string, (path: string) => Promise<void>])[] = [
  ['cannot be read (ELOOP: too many symbolic links encountered)', (path) => symlink(path, path)],
  ['is not a file', async (path) => void (await mkdir(path))],
]

test.each(damages)('I-01: a file that %s is one finding, and the other files are compared', async (problem, damage) => {
  const one = await pathOf('one')
  await rm(one)
  await damage(one)
  await truncate(await pathOf('two'), 3)
  for (const name of ['storage.cache-files', 'storage.cache-bytes']) {
    const findings = await check(name)
    expect(findings, name).toMatchObject([
      {
        severity: 'error',
        subject: { key: 'one' },
        message: `${one} ${problem}`,
        repair: expect.stringContaining('no provider has a copy'),
      },
      { severity: 'error', subject: { key: 'two' }, message: expect.stringContaining('has 3 bytes instead of 16') },
    ])
    for (const finding of findings) expect(finding.fix).toBeUndefined()
  }
  await keepAll()
  const [{ fix: offered, severity } = {}] = await check('storage.cache-files')
  expect(severity).toBe('warning')
  expect(await fix(offered?.target ?? '')).toBe(true)
  expect(await fix(offered?.target ?? '')).toBe(false)
  expect(await check('storage.cache-files')).toMatchObject([{ subject: { key: 'two' } }])
})

test('I-01: a file instead of the folder of a file is found', async () => {
  const folder = dirname(await pathOf('one'))
  await rename(folder, `${folder}-moved`)
  await writeFile(folder, '')
  const message = expect.stringContaining('cannot be read (ENOTDIR: not a directory)')
  expect(await check('storage.cache-files')).toMatchObject([{ message }, { message }])
})

const away = (path: string) => rename(path, `${storage.dir}/away`)

test.each([
  { what: 'the cache directory', path: () => settings().dir, problem: 'is missing', lose: away },
  { what: 'its folder of files', path: () => join(settings().dir, 'blobs'), problem: 'is missing', lose: away },
  { what: 'the folder of the start', path: async () => dirname(dirname(await pathOf('one'))), problem: 'is missing', lose: away },
  {
    what: 'the link to another disk',
    path: async () => dirname(dirname(await pathOf('one'))),
    problem: 'cannot be read (ELOOP: too many symbolic links encountered)',
    lose: async (path: string) => {
      await away(path)
      await symlink(path, path)
    },
  },
])('without $what there is one error, and no fix forgets the files', async ({ path, problem, lose }) => {
  await keepAll()
  const targets = await allRows<{ target: string }>(storage.database.read, `select content_id || '/' || blob_id as target from cache_blobs`)
  const folder = dirname(dirname(await pathOf('one')))
  const lost = await path()
  await lose(lost)
  const findings = await check('storage.cache-files')
  expect(findings).toMatchObject([
    {
      severity: 'error',
      subject: { kind: 'cache directory', id: settings().dir },
      message: `${lost} ${problem}, but the database records 2 files in it`,
      repair: expect.stringMatching(/^Mount its disk/),
    },
  ])
  const identity = lost === settings().dir ? ` and the empty file ${lost}/cache-id` : ''
  expect(findings[0]?.repair).toContain(`create the folders ${folder}${identity}, then`)
  expect(findings[0]?.fix).toBeUndefined()
  await expect(check('storage.cache-bytes')).rejects.toThrow(`${lost} ${problem}; storage.cache-files says how to repair it`)
  expect(targets).toHaveLength(2)
  for (const { target } of targets) expect(await fix(target)).toBe(false)
})

test('files in other folders are compared, and an empty folder in the place of the missing one means that its files are lost', async () => {
  await keepAll()
  await storage.database.write((tx) =>
    runSql(tx, `update cache_blobs set epoch = 5 where blob_id = (select max(blob_id) from cache_blobs)`),
  )
  await rm(await pathOf('one'))
  expect(await check('storage.cache-files')).toMatchObject([
    { severity: 'error', message: expect.stringContaining('/blobs/5 is missing, but the database records 1 file in it') },
    { severity: 'warning', subject: { key: 'one' } },
  ])
  const [two] = await allRows<{ target: string }>(
    storage.database.read,
    `select content_id || '/' || blob_id as target from cache_blobs where epoch = 5`,
  )
  expect(await fix(two?.target ?? '')).toBe(false)
  await mkdir(dirname(dirname(await pathOf('two'))))
  const findings = await check('storage.cache-files')
  expect(findings).toMatchObject([{ subject: { key: 'one' } }, { subject: { key: 'two' }, fix: { name: fixNames.forgetFile } }])
  for (const finding of findings) expect(await fix(finding.fix?.target ?? '')).toBe(true)
  expect(await check('storage.cache-files')).toEqual([])
})

test.skipIf(process.getuid?.() === 0)('I-01: a file that svc may not open is found when its bytes are compared', async () => {
  await chmod(await pathOf('one'), 0)
  const message = expect.stringContaining('cannot be read (EACCES: permission denied)')
  expect(await check('storage.cache-bytes')).toMatchObject([{ severity: 'error', subject: { key: 'one' }, message }])
})

test('a fix that was not offered is refused without a copy', async () => {
  const path = await pathOf('one')
  await rm(path)
  await symlink(path, path)
  const [row] = await allRows<{ target: string }>(
    storage.database.read,
    `select content_id || '/' || blob_id as target from cache_blobs order by blob_id`,
  )
  expect(await fix(row?.target ?? '')).toBe(false)
  await keepAll()
  expect(await fix(row?.target ?? '')).toBe(true)
})

test.each([
  ['no identity file', (path: string) => rm(path)],
  ['the identity file of another cache', (path: string) => writeFile(path, 'another')],
])('I-38: in a folder with %s no file is missing, and files of this database below the mount point are found', async (problem, damage) => {
  await keepAll()
  const { dir } = settings()
  const targets = await allRows<{ target: string }>(storage.database.read, `select content_id || '/' || blob_id as target from cache_blobs`)
  const one = await pathOf('one')
  await rm(one)
  await damage(join(dir, 'cache-id'))
  expect(await check('storage.cache-files')).toMatchObject([
    { severity: 'error', message: `${dir} has ${problem}, but the database records 2 files in it` },
    { severity: 'warning', message: expect.stringContaining(`${dirname(dirname(one))} has files of this database`) },
  ])
  for (const { target } of targets) expect(await fix(target)).toBe(false)
  // An operator accepts the folder.
  await writeFile(join(dir, 'cache-id'), '')
  expect(await check('storage.cache-files')).toMatchObject([{ severity: 'warning', message: `${one} is missing` }])
})

test.runIf(canMount)('of a file that is missing on a mounted disk, the place below the mount point is named', async () => {
  using place = mountCache()
  await using mounted = await openVersionStorage({ dir: place.dir })
  const { contentId } = await mounted.put('one', 'the bytes of one')
  for (const blob of await blobsOfContent(mounted.database.read, contentId ?? 0)) await rm(mounted.cache.pathOf(blob))
  const found = storageChecks.find(({ name }) => name === 'storage.cache-files') as (typeof storageChecks)[number]
  const findings = await findingsOf(found, mounted.database.read, { settings: { dir: place.below } })
  expect(findings).toMatchObject([
    { repair: expect.stringContaining(`while the disk of ${place.below} was not mounted, stop svc, unmount`) },
  ])
})
