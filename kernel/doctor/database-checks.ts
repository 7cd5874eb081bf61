/** Checks of the database as a whole: its file, its foreign keys, its migrations. */
import { postgresName } from '../config/database-path.ts'
import { DatabaseError } from '../db/database-error.ts'
import { databaseSection } from '../db/database-settings.ts'
import { readConnectionOptions } from '../db/postgres/connection-options.ts'
import { readOnlyReason, type ServerState, serverColumns, unsafeSettings } from '../db/postgres/server-policy.ts'
import { type NoParams, sqlStatement } from '../db/statement.ts'
import { defineDoctorCheck, type Finding } from './check.ts'
import { migrationState, places } from './service.ts'

const problemsMax = 100

const none = 'select 1 where false'
/** The column has the name of the pragma. */
const quickCheck = sqlStatement<NoParams, Readonly<Record<string, string>>>({
  sqlite: `pragma quick_check(${problemsMax})`,
  postgres: none,
})
const wholeCheck = sqlStatement<NoParams, Readonly<Record<string, string>>>({
  sqlite: `pragma integrity_check(${problemsMax})`,
  postgres: none,
})
const orphans = sqlStatement<NoParams, { name: string; parent: string; rows: number }>({
  sqlite: 'select "table" as name, parent, count(*) as rows from pragma_foreign_key_check group by "table", parent order by 1, 2',
  postgres: none,
})

/** Codes of SQLite for a damaged file, extended ones too. */
const damaged = /^SQLITE_(CORRUPT|NOTADB)(_|$)/

const restore = 'Stop svc, keep a copy of the files, and restore the database from a backup, or save its rows with sqlite3 .recover'

const damageOf = (path: string, message: string): Finding => ({
  severity: 'error',
  subject: { kind: 'database', id: path },
  message,
  repair: restore,
})

export const databaseCheck = defineDoctorCheck({
  name: 'kernel.database',
  title: 'The SQLite file: structure and indexes (--whole: also the order and content of indexes), foreign keys',
  proves: [],
  cost: 'whole',
  uses: { places },
  async look({ places: { databasePath: path } }, { read, sample }) {
    // A PostgreSQL server checks its files itself.
    if (path === undefined) return { findings: [], compared: 0 }
    try {
      const rows = await read.all(sample === undefined ? wholeCheck : quickCheck)
      const problems = rows.flatMap((row) => Object.values(row)).filter((problem) => problem !== 'ok')
      const findings = problems.map((problem) => damageOf(path, `the file is damaged: ${problem}`))
      for (const { name, parent, rows } of await read.all(orphans)) {
        findings.push(damageOf(path, `${rows} rows of ${name} refer to missing rows of ${parent}`))
      }
      return { findings, compared: 1 }
    } catch (error) {
      if (!(error instanceof DatabaseError && damaged.test(error.code))) throw error
      return { findings: [damageOf(path, `the file is damaged: ${(error.cause as Error).message}`)], compared: 1 }
    }
  },
})

const serverState = sqlStatement<NoParams, ServerState>({ sqlite: none, postgres: `select ${serverColumns}` })

export const databaseServerCheck = defineDoctorCheck({
  name: 'kernel.database-server',
  title: 'The PostgreSQL server: durable commits, accepts writes, encrypted connection',
  proves: ['I-01'],
  cost: 'quick',
  uses: { settings: databaseSection.settings, places },
  async look({ settings: { dsn, allow_unsafe: allowsUnsafe }, places: { databasePath } }, { read }) {
    const state = databasePath === undefined ? await read.get(serverState) : undefined
    if (!state) return { findings: [], compared: 0 }
    const finding = (severity: Finding['severity'], message: string, repair: string): Finding => ({
      severity,
      subject: { kind: 'database', id: postgresName(dsn) },
      message,
      repair,
    })
    const unsafe = unsafeSettings(state).map(({ problem, repair }) => finding(allowsUnsafe ? 'warning' : 'error', problem, repair))
    const readOnly = readOnlyReason(state)
    const { warning } = readConnectionOptions(dsn)
    return {
      findings: [
        ...unsafe.map((found) => ({ ...found, invariant: 'I-01' })),
        ...(readOnly ? [finding('error', `the server takes no writes: ${readOnly.problem}`, readOnly.repair)] : []),
        ...(warning === undefined ? [] : [finding('warning', warning.problem, warning.repair)]),
      ],
      compared: 1,
    }
  },
})

export const migrationCheck = defineDoctorCheck({
  name: 'kernel.migrations',
  title: 'Migrations of the database against those of svc and its plugins',
  proves: [],
  cost: 'quick',
  uses: { migrationState },
  async look({ migrationState }, { read }) {
    const { pending, unknown } = await migrationState(read)
    const findings = [
      ...pending.map(
        (id): Finding => ({
          severity: 'warning',
          subject: { kind: 'migration', id },
          message: 'the migration is not applied',
          repair: 'Run svc migrate, or start svc serve, then svc doctor again',
        }),
      ),
      ...unknown.map(
        (id): Finding => ({
          severity: 'error',
          subject: { kind: 'migration', id },
          message: 'the database has a migration that this svc does not know',
          repair: 'Use the newer svc, or install the plugin that made it, or restore a backup from before',
        }),
      ),
    ]
    return { findings, compared: 1 }
  },
})
