import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { saveConfigFile } from '../config/file.ts'
import { definePlugin } from '../core/plugin.ts'
import { defineService, provide } from '../core/service.ts'
import { type Database, database, dbSchemas } from '../db/database.ts'
import { defineMigration } from '../db/migration.ts'
import { sqlStatement } from '../db/statement.ts'
import { defineDoctorCheck, defineDoctorFix, doctorChecks, doctorFixes } from '../doctor/check.ts'
import { silentLog } from '../log/log.ts'
import { hasPostgres, newPostgresDatabase } from '../testing/postgres.ts'
import { testKernel } from '../testing/test-kernel.ts'
import { isDataInUse, openDoctor } from './open-doctor.ts'
import { type PreparedKernel, prepareKernel } from './prepare.ts'
import { startKernel } from './start.ts'

const needed = defineService<{ readonly database: Database }>('notes.needed')
const other = defineService<object>('notes.other')
const insert = sqlStatement<{ text: string }>('insert into notes (text) values (:text)')
const texts = sqlStatement<Record<never, never>, { text: string }>('select text from notes order by text')

/** Services that were created. */
let created: string[] = []

const notes = definePlugin({
  id: 'notes',
  provides: [
    provide(needed, { database }, ({ database }) => {
      created.push('needed')
      return { database }
    }),
    provide(other, {}, () => {
      created.push('other')
      return {}
    }),
  ],
  contributes: [
    dbSchemas.with({
      name: 'notes',
      load: async () => ({ migrations: [defineMigration('0001-notes', ['create table notes (text text)'])] }),
    }),
    doctorChecks.with(
      defineDoctorCheck({
        name: 'notes.all',
        title: 'Notes',
        proves: [],
        cost: 'quick',
        uses: { needed },
        async look({ needed }, { read, isOnline }) {
          await expect(needed.database.write((tx) => tx.run(insert, { text: 'by a check' }))).rejects.toThrow('for reading only')
          const found = await read.all(texts)
          return {
            findings: found.map(({ text }) => ({ severity: 'warning', subject: { kind: 'note', id: text }, message: '', repair: '' })),
            compared: isOnline ? 0 : found.length,
          }
        },
      }),
    ),
    doctorFixes.with(
      defineDoctorFix({
        name: 'notes.add',
        title: 'Add a note',
        target: { form: 'a text', pattern: /^[a-z ]+$/ },
        uses: { needed, other },
        async apply({ needed }, text) {
          await needed.database.write((tx) => tx.run(insert, { text }))
          return true
        },
      }),
    ),
  ],
})

/** A stopped service with a migrated database. */
async function stopped(dsn?: string) {
  const svc = await testKernel({
    plugins: [notes],
    isNew: true,
    ...(dsn !== undefined && { config: { 'database.driver': 'postgres', 'database.dsn': dsn, 'database.allow_unsafe': true } }),
  })
  // Its directory is removed by the second stop.
  onTestFinished(() => svc.stop())
  await svc.kernel.stop()
  created = []
  return prepareKernel({ plugins: [notes], configPath: join(svc.dir, 'config.toml'), dataDir: svc.dir, env: {} })
}

const engines = [
  { engine: 'SQLite', isHere: true, dsn: async () => undefined },
  { engine: 'PostgreSQL', isHere: hasPostgres(), dsn: async () => newPostgresDatabase() },
]

test.for(engines.filter(({ isHere }) => isHere))(
  'on $engine checks read without a gateway and create only the services they name; fixes write',
  async ({ dsn }) => {
    const prepared = await stopped(await dsn())
    {
      await using fixing = await openDoctor(prepared, { isFixing: true, log: silentLog })
      expect(await fixing.fix('notes.add', 'by a fix')).toBe(true)
      expect(created).toEqual(['needed', 'other'])
    }
    created = []
    await using reading = await openDoctor(prepared, { log: silentLog })
    expect(await reading.look('notes.all', {})).toMatchObject({ findings: [{ subject: { id: 'by a fix' } }], compared: 1 })
    expect(created).toEqual(['needed'])
    expect(await reading.look('kernel.database', {})).toMatchObject({ findings: [] })
  },
)

test.skipIf(!hasPostgres())('I-01: a PostgreSQL server that may lose writes is found, and refused to a gateway', async () => {
  const prepared = await stopped(await newPostgresDatabase())
  const findings = async (settings: PreparedKernel) => {
    await using doctor = await openDoctor(settings, { log: silentLog })
    return (await doctor.look('kernel.database-server', {})).findings
  }
  const unsafe = { invariant: 'I-01', message: expect.stringMatching(/^fsync is off/), repair: expect.stringMatching(/^set fsync = on/) }
  expect(await findings(prepared)).toMatchObject([{ severity: 'warning', ...unsafe }, { severity: 'warning' }])
  saveConfigFile(prepared.config.path, { 'database.allow_unsafe': false })
  const strict = await prepareKernel({
    plugins: [notes],
    configPath: prepared.config.path,
    dataDir: dirname(prepared.config.path),
    env: {},
  })
  expect(await findings(strict)).toMatchObject([{ severity: 'error', ...unsafe }, { severity: 'error' }])
  await expect(startKernel(strict, { log: silentLog })).rejects.toThrow('may lose writes: fsync is off')
})

test.for(engines.filter(({ isHere }) => isHere))('I-26: on $engine data in use by a gateway is not opened', async ({ dsn }) => {
  const prepared = await stopped(await dsn())
  {
    await using _kernel = await startKernel(prepared, { log: silentLog })
    const error = await openDoctor(prepared, { log: silentLog }).catch((error: unknown) => error)
    expect(String(error)).toContain('is in use by another svc')
    expect(await isDataInUse(error)).toBe(true)
  }
  await using doctor = await openDoctor(prepared, { log: silentLog })
  await expect(startKernel(prepared, { log: silentLog })).rejects.toThrow('is in use by another svc')
  expect(doctor.checks().map(({ name }) => name)).toContain('notes.all')
})

test('without a database nothing is created', async () => {
  const svc = await testKernel({ plugins: [notes] })
  onTestFinished(() => svc.stop())
  await svc.kernel.stop()
  const dsn = join(svc.dir, 'elsewhere', 'svc.db')
  saveConfigFile(join(svc.dir, 'config.toml'), { 'database.dsn': dsn })
  const prepared = await prepareKernel({ plugins: [notes], configPath: join(svc.dir, 'config.toml'), dataDir: svc.dir, env: {} })
  const error = await openDoctor(prepared, { log: silentLog }).catch((error: unknown) => error)
  expect(String(error)).toContain(`there is no database ${dsn}`)
  expect(await isDataInUse(error)).toBe(false)
  expect(existsSync(join(svc.dir, 'elsewhere'))).toBe(false)
})
