import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { definePlugin } from '../core/plugin.ts'
import { dbSchemas } from '../db/database.ts'
import { defineMigration, type Migration } from '../db/migration.ts'
import { createLog } from '../log/log.ts'
import { version } from '../process/version.ts'
import { hasPostgres, newPostgresDatabase } from '../testing/postgres.ts'
import { testKernel } from '../testing/test-kernel.ts'
import { forgetCopies, migrateDatabase, readMigrationStatus } from './migrate-database.ts'
import { prepareKernel } from './prepare.ts'
import { startKernel } from './start.ts'

const notes = defineMigration('0001-notes', ['create table notes (id integer primary key, text text)'])
const colours = defineMigration('0002-colours', ['alter table notes add column colour text'])
const sizes = defineMigration('0003-sizes', ['alter table notes add column size integer'])
const broken = defineMigration('0003-broken', ['alter table missing add column size integer'])

function place() {
  const dir = mkdtempSync(join(tmpdir(), 'svc-upgrade-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'db', 'svc.db')
  /** An svc whose plugin has these migrations. */
  const svc = (...migrations: readonly Migration[]) => {
    const plugin = definePlugin({ id: 'notes', contributes: [dbSchemas.with({ name: 'notes', load: async () => ({ migrations }) })] })
    return prepareKernel({
      plugins: [plugin],
      configPath: join(dir, 'config.toml'),
      dataDir: dir,
      env: { SVC_ADMIN_AUTH_ENABLED: 'false', SVC_ADMIN_ADDR: '127.0.0.1:0' },
    })
  }
  const sql = (text: string, at = file) => {
    using database = new DatabaseSync(at)
    return database.prepare(text).all()
  }
  const copies = () =>
    readdirSync(join(dir, 'db'))
      .filter((name) => name.includes('.before-upgrade'))
      .sort()
  const start = async (...migrations: readonly Migration[]) => {
    const lines: string[] = []
    const log = createLog({ level: 'info', format: 'json', secrets: [], write: (line) => void lines.push(line) })
    await using _kernel = await startKernel(await svc(...migrations), { log })
    return lines.join('')
  }
  return { dir, file, svc, sql, copies, start }
}

test('a new database is not copied, and neither is one without pending migrations', async () => {
  const { copies, start } = place()
  await start(notes)
  await start(notes)
  expect(copies()).toEqual([])
})

test('a start copies the database before its migration, keeps the copy, and says how to go back', async () => {
  const { dir, file, sql, copies, start, svc } = place()
  await start(notes)
  sql("insert into notes (text) values ('before') returning id")
  const log = await start(notes, colours)
  const [name = ''] = copies()
  expect(name).toMatch(/^svc\.db\.before-upgrade-\d{8}T\d{9}Z$/)
  const copy = join(dir, 'db', name)
  expect(sql('select * from notes', copy)).toEqual([{ id: 1, text: 'before' }])
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(log).toContain('database copied before its migration; svc migrate --forget-backup removes the copy')
  expect(log).toContain(
    `install svc ${version.version}, then run: rm -f '${file}' '${file}-wal' '${file}-shm' && cp -p '${copy}' '${file}'`,
  )
  // A start without migrations keeps it, and a later upgrade adds another.
  await start(notes, colours)
  await start(notes, colours, sizes)
  expect(copies()).toHaveLength(2)
  expect((await readMigrationStatus(await svc(notes, colours, sizes))).copies).toHaveLength(2)
  expect(await forgetCopies(await svc(notes, colours, sizes))).toHaveLength(2)
  expect(copies()).toEqual([])
})

test('the copy has what only the write-ahead log has, also while another process reads the database', async () => {
  const { dir, file, sql, copies, start } = place()
  await start(notes)
  using reader = new DatabaseSync(file)
  reader.exec("insert into notes (text) values ('in the log')")
  reader.exec('begin')
  expect(reader.prepare('select text from notes').all()).toHaveLength(1)
  await start(notes, colours)
  expect(sql('select * from notes', join(dir, 'db', copies()[0] ?? ''))).toEqual([{ id: 1, text: 'in the log' }])
})

test('the way back works: the copy is the database of the earlier svc, which starts with it', async () => {
  const { dir, file, sql, copies, start } = place()
  await start(notes)
  sql("insert into notes (text) values ('before') returning id")
  await start(notes, colours)
  await expect(start(notes)).rejects.toThrow(
    `has migrations that svc ${version.version} does not know (notes/0002-colours): it was used by a newer svc, or by a plugin that is not ` +
      `installed now. Start svc ${version.version}, which can read it,`,
  )
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  copyFileSync(join(dir, 'db', copies()[0] ?? ''), file)
  await start(notes)
  expect(sql('select * from notes')).toEqual([{ id: 1, text: 'before' }])
})

test('an upgrade that fails half-way keeps the copy from before all of its migrations, however often it is started', async () => {
  const { dir, sql, copies, start, svc } = place()
  await start(notes)
  for (let starts = 0; starts < 3; starts++) await expect(start(notes, colours, broken)).rejects.toThrow('could not be migrated')
  expect(copies()).toEqual(['svc.db.before-upgrade'])
  expect(sql('select name from svc_migration', join(dir, 'db', 'svc.db.before-upgrade'))).not.toContainEqual({ name: 'notes/0002-colours' })
  await expect(forgetCopies(await svc(notes, colours, broken))).rejects.toThrow('its upgrade has not ended')
  await start(notes, colours, sizes)
  expect(copies()).toEqual([expect.stringMatching(/before-upgrade-\d/)])
})

test('a stop between the last migration and the end of the upgrade does not make the next upgrade use the old copy', async () => {
  const { dir, copies, start } = place()
  await start(notes)
  await start(notes, colours)
  renameSync(join(dir, 'db', copies()[0] ?? ''), join(dir, 'db', 'svc.db.before-upgrade'))
  await start(notes, colours)
  expect(copies()).toEqual([expect.stringMatching(/before-upgrade-\d/)])
})

test('svc migrate makes a copy only when it is asked', async () => {
  const { copies, svc } = place()
  expect(await migrateDatabase(await svc(notes), { copies: true })).toMatchObject({ copy: undefined })
  expect(await migrateDatabase(await svc(notes, colours), { copies: false })).toEqual({ applied: ['notes/0002-colours'], copy: undefined })
  expect(copies()).toEqual([])
  const { copy } = await migrateDatabase(await svc(notes, colours, sizes), { copies: true })
  expect(existsSync(copy?.path ?? '')).toBe(true)
})

test('the state names the version that applied the last migration; an earlier svc did not record it', async () => {
  const { sql, svc, start } = place()
  await start(notes, colours)
  expect(await readMigrationStatus(await svc(notes, colours))).toMatchObject({ pending: [], unknown: [], readableBy: version.version })
  sql("update svc_migrated_by set version = '9.8.7' where name = 'notes/0002-colours' returning name")
  await expect(start(notes)).rejects.toThrow('Start svc 9.8.7, which can read it')
  sql('drop table svc_migrated_by')
  await expect(start(notes)).rejects.toThrow('Start that version')
  expect(await readMigrationStatus(await svc(notes))).toMatchObject({ unknown: ['notes/0002-colours'], readableBy: undefined })
})

test.skipIf(!hasPostgres())('the state of a PostgreSQL database is shown while svc uses it', async () => {
  const schema = (...migrations: readonly Migration[]) => dbSchemas.with({ name: 'notes', load: async () => ({ migrations }) })
  await using svc = await testKernel({
    plugins: [definePlugin({ id: 'notes', contributes: [schema(notes)] })],
    config: { 'database.driver': 'postgres', 'database.dsn': await newPostgresDatabase(), 'database.allow_unsafe': true },
  })
  const later = definePlugin({ id: 'notes', contributes: [schema(notes, colours)] })
  const prepared = await prepareKernel({ plugins: [later], configPath: join(svc.dir, 'config.toml'), dataDir: svc.dir, env: {} })
  expect(await readMigrationStatus(prepared)).toMatchObject({ pending: ['notes/0002-colours'], unknown: [], copies: [] })
})

const run = (...command: readonly string[]) => spawnSync(command[0] ?? '', command.slice(1), { stdio: 'ignore' }).status === 0
const canMount = (() => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-mount-'))
  const can = process.platform === 'linux' && run('mount', '-t', 'tmpfs', 'none', dir) && run('umount', dir)
  rmSync(dir, { recursive: true, force: true })
  return can
})()

test.runIf(canMount)(
  'without room for a copy the start is refused before anything is changed, and svc migrate goes on without one',
  async () => {
    const { dir, copies, start, svc } = place()
    mkdirSync(join(dir, 'db'))
    expect(run('mount', '-t', 'tmpfs', '-o', 'size=8m', 'none', join(dir, 'db'))).toBe(true)
    onTestFinished(() => void run('umount', '-l', join(dir, 'db')))
    await start(notes)
    await expect(start(notes, colours)).rejects.toThrow(
      /must be migrated, and \d+ MiB are needed beside it for a copy of it, of which \d+ MiB are free\. Free room there; svc migrate --forget-backup removes copies of earlier upgrades; svc migrate migrates without a copy$/,
    )
    expect(await readMigrationStatus(await svc(notes, colours))).toMatchObject({ pending: ['notes/0002-colours'] })
    expect(copies()).toEqual([])
    expect(await migrateDatabase(await svc(notes, colours), { copies: false })).toMatchObject({ applied: ['notes/0002-colours'] })
  },
)
