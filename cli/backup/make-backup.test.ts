import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { sqlStatement } from '#kernel'
import type { BackupFiles } from '#kernel/system'
import { canMount } from '../../plugins/storage/testing/mounted-cache.ts'
import { openTarget } from './backup-target.ts'
import { type BackupRequest, makeBackup } from './make-backup.ts'
import { readManifest } from './manifest.ts'

interface Row {
  readonly id: string
  readonly bytes: number
  readonly sha256: string | null
}

const page = sqlStatement<{ after: string; limit: number }, Row>(
  'select id, bytes, sha256 from files where id > :after order by id limit :limit',
)
const known = sqlStatement<{ ids: readonly string[] }, { id: string }>('select id from files where id in :ids')

/** A gateway with files: rows in a database, written by a connection of its own. */
function gateway() {
  const root = mkdtempSync(join(tmpdir(), 'svc-backup-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [databasePath, directory, dir] = [join(root, 'svc.db'), join(root, 'files'), join(root, 'backup')]
  mkdirSync(directory)
  const rows = new DatabaseSync(databasePath)
  onTestFinished(() => rows.close())
  rows.exec('pragma journal_mode = wal; create table files (id text primary key, bytes integer, sha256 text)')
  const hooks = { beforePage: (_after: string, _page: number) => {}, beforeKnown: () => {} }
  let pages = 0
  const files: BackupFiles = {
    name: 'files',
    field: 'test.dir',
    async page(read, { after, limit }) {
      const found = await read.all(page, { after, limit })
      hooks.beforePage(after, pages++)
      return found.map((row) => ({ ...row, path: `a/${row.id}`, meaning: `object ${row.id}`, isIntact: true }))
    },
    async known(read, paths) {
      hooks.beforeKnown()
      const found = await read.all(known, { ids: paths.map((path) => path.slice(2)) })
      return new Set(found.map(({ id }) => `a/${id}`))
    },
    leaveOut: () => [],
    elsewhere: async () => ({ contents: 0, bytes: 0 }),
    restored: {},
    folders: async () => [],
  }
  const add = (id: string, text: string, sha256 = createHash('sha256').update(text).digest('hex')) => {
    mkdirSync(join(directory, 'a'), { recursive: true })
    writeFileSync(join(directory, 'a', id), text)
    rows.prepare('insert into files values (?, ?, ?)').run(id, text.length, sha256)
  }
  /** Keeps the order of the gateway: the row goes first. */
  const remove = (id: string) => {
    rows.prepare('delete from files where id = ?').run(id)
    unlinkSync(join(directory, 'a', id))
  }
  const backUp = async (options: Partial<BackupRequest> = {}) => {
    using target = await openTarget(dir)
    const fixed = { databasePath, sources: [{ files, directory }], isAll: false, config: '# nothing\n', withSecrets: false }
    return await makeBackup({ target, ...fixed, signal: new AbortController().signal, onProgress() {}, ...options })
  }
  const inBackup = () => readdirSync(join(dir, 'files', 'files', 'a')).sort()
  const rowsOf = (run: string) => {
    using copy = new DatabaseSync(join(dir, run, 'database.db'), { readOnly: true })
    return copy
      .prepare('select id from files order by id')
      .all()
      .map(({ id }) => id)
  }
  return { root, dir, directory, add, remove, hooks, backUp, inBackup, rowsOf }
}

test('a backup has the database and its files; a second one copies only new files and removes old ones', async () => {
  const { add, remove, backUp, inBackup, rowsOf, dir } = gateway()
  add('1', 'one')
  add('2', 'two')
  const first = await backUp()
  expect(first).toMatchObject({ copied: 2, copiedBytes: 6, damaged: [], manifest: { files: 2, file_bytes: 6 } })
  expect(rowsOf(first.manifest.run)).toEqual(['1', '2'])
  remove('1')
  add('3', 'three')
  const second = await backUp()
  expect(second).toMatchObject({ copied: 1, copiedBytes: 5, manifest: { files: 2, file_bytes: 8 } })
  expect(inBackup()).toEqual(['2', '3'])
  expect(rowsOf(second.manifest.run)).toEqual(['2', '3'])
  expect(readManifest(dir)).toEqual({ ...readManifest(dir), ...second.manifest })
  expect(readdirSync(dir).filter((name) => name.startsWith('run-'))).toEqual([second.manifest.run])
})

test('a file that is removed while a state is copied is not needed: a later state is copied', async () => {
  const { add, remove, hooks, backUp, inBackup, rowsOf } = gateway()
  for (const id of ['1', '2', '3']) add(id, `text ${id}`)
  let states = 0
  hooks.beforePage = (after) => {
    if (after !== '') return
    states += 1
    // The room check is the first, the files before any state the second.
    if (states === 2) add('0', 'arrived behind the pass')
    if (states === 3) remove('0')
  }
  const { manifest } = await backUp()
  expect(states).toBe(4)
  expect(rowsOf(manifest.run)).toEqual(['1', '2', '3'])
  expect(inBackup()).toEqual(['1', '2', '3'])
})

test('a state that never holds still ends with an error, and the earlier backup stays', async () => {
  const { add, remove, hooks, backUp, dir } = gateway()
  add('2', 'two')
  const first = await backUp()
  let newest = 100
  add('100', 'in place of an earlier one')
  hooks.beforePage = (after) => {
    if (after !== '') return
    remove(String(newest))
    newest += 1
    // Behind the pass: ids are texts.
    add(String(newest), `text ${newest}`)
  }
  await expect(backUp()).rejects.toThrow('files were removed from the cache during each of 20 attempts')
  hooks.beforePage = () => {}
  expect(readManifest(dir)?.run).toBe(first.manifest.run)
  expect(existsSync(join(dir, first.manifest.run, 'database.db'))).toBe(true)
})

test('a damaged file is named and left out, and the others are saved', async () => {
  const { add, backUp, inBackup } = gateway()
  add('1', 'one')
  add('2', 'two', '0'.repeat(64))
  const { damaged, manifest } = await backUp()
  expect(damaged).toEqual([{ path: 'a/2', meaning: 'object 2' }])
  expect(manifest).toMatchObject({ files: 1, damaged: 1 })
  expect(inBackup()).toEqual(['1'])
})

test('an aborted run leaves the earlier backup, and the next run continues with its files', async () => {
  const { add, backUp, dir } = gateway()
  add('1', 'one')
  const first = await backUp()
  add('2', 'two')
  const abort = new AbortController()
  const stopped = backUp({ signal: abort.signal, onProgress: () => abort.abort(new Error('stopped')) })
  await expect(stopped).rejects.toThrow('stopped')
  expect(readManifest(dir)?.run).toBe(first.manifest.run)
  expect(readdirSync(dir).filter((name) => name.startsWith('run-'))).toEqual([first.manifest.run])
  expect(await backUp()).toMatchObject({ copied: 0, manifest: { files: 2 } })
})

test('a complete backup stays when old files cannot be removed, and the next run removes them', async () => {
  const { add, remove, hooks, backUp, inBackup, rowsOf, dir } = gateway()
  add('1', 'one')
  await backUp()
  remove('1')
  add('2', 'two')
  hooks.beforeKnown = () => {
    throw new Error('the disk failed')
  }
  await expect(backUp()).rejects.toThrow('is complete, but old files could not be removed')
  expect(rowsOf(readManifest(dir)?.run ?? '')).toEqual(['2'])
  expect(inBackup()).toEqual(['1', '2'])
  hooks.beforeKnown = () => {}
  const { manifest } = await backUp()
  expect(readdirSync(dir).filter((name) => name.startsWith('run-'))).toEqual([manifest.run])
  expect(inBackup()).toEqual(['2'])
})

test('leftovers of a killed run are removed by the next one', async () => {
  const { add, backUp, inBackup, dir } = gateway()
  add('1', 'one')
  const { manifest } = await backUp()
  mkdirSync(join(dir, 'run-20200101T000000000Z'))
  writeFileSync(join(dir, 'files', 'files', 'a', '9.partial'), 'ha')
  const next = await backUp()
  expect(readdirSync(dir).filter((name) => name.startsWith('run-'))).toEqual([next.manifest.run])
  expect(next.manifest.run).not.toBe(manifest.run)
  expect(inBackup()).toEqual(['1'])
})

test('the folder of a new ext4 disk is no other file', async () => {
  const { add, backUp, dir } = gateway()
  add('1', 'one')
  mkdirSync(join(dir, 'lost+found'), { recursive: true })
  expect(await backUp()).toMatchObject({ manifest: { files: 1 } })
  expect(existsSync(join(dir, 'lost+found'))).toBe(true)
})

test('a directory with other files, and one that another run uses, are refused', async () => {
  const { add, backUp, dir, root } = gateway()
  add('1', 'one')
  await expect(openTarget(root)).rejects.toThrow('is not a backup directory: it has')
  await backUp()
  {
    using _other = await openTarget(dir)
    await expect(backUp()).rejects.toThrow('is in use by another svc backup or restore (process ')
  }
  await backUp()
})

const run = (...command: readonly string[]) => spawnSync(command[0] ?? '', command.slice(1), { stdio: 'ignore' }).status === 0

test.runIf(canMount)('a disk that gets full, or has too little room, leaves the earlier backup whole; the next run continues', async () => {
  const { add, backUp, dir } = gateway()
  mkdirSync(dir)
  expect(run('mount', '-t', 'tmpfs', '-o', 'size=20m', 'none', dir)).toBe(true)
  onTestFinished(() => void run('umount', '-l', dir))
  add('1', 'one')
  const { manifest } = await backUp()
  add('2', 'x'.repeat(1_500_000))
  const filler = join(dir, 'files', 'filler')
  const fill = () => {
    expect(() => writeFileSync(filler, Buffer.alloc(32 * 1024 * 1024))).toThrow('ENOSPC')
  }
  await expect(backUp({ onProgress: fill })).rejects.toThrow(
    `the disk of ${dir} is full; the backup of ${manifest.started_at} is unchanged. Free room there, then run svc backup again: it continues`,
  )
  expect(readManifest(dir)).toMatchObject({ run: manifest.run })
  expect(readdirSync(dir).filter((name) => name.startsWith('run-'))).toEqual([manifest.run])
  await expect(backUp()).rejects.toThrow(/^the backup needs 16\.\d\d MiB on the disk of .*, and .* are free; nothing was changed\./)
  unlinkSync(filler)
  expect(await backUp()).toMatchObject({ copied: 0, manifest: { files: 2 } })
})

test('a manifest with another byte is refused', async () => {
  const { add, backUp, dir } = gateway()
  add('1', 'one')
  await backUp()
  const path = join(dir, 'backup.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"files": 1', '"files": 2'))
  expect(() => readManifest(dir)).toThrow(`${path} is damaged`)
  expect(dirname(path)).toBe(dir)
})
