import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { databasePath, isPostgres } from '../config/database-path.ts'
import type { MigrationState } from '../db/migrations.ts'
import type { OpenDatabase } from '../db/open-request.ts'
import type { OrphanListener } from '../db/orphans.ts'
import type { Log } from '../log/log.ts'
import type { PreparedKernel } from './prepare.ts'
import type { CopiedUpgrade, UpgradeCopy } from './upgrade-copies.ts'

interface MigrateOptions {
  readonly onOrphans?: OrphanListener
  /** Copies an SQLite database before its migrations. */
  readonly copies: boolean
}

interface Migrated {
  /** Names such as `storage/0001-init`. */
  readonly applied: readonly string[]
  readonly copy: { readonly path: string; readonly bytes: number; readonly wayBack: string } | undefined
}

/** Applies the pending migrations of the kernel and the enabled plugins. */
export async function migrateDatabase(prepared: PreparedKernel, { onOrphans, copies }: MigrateOptions): Promise<Migrated> {
  const { lockData } = await import('../lock/data-lock.ts')
  const { openKernelDatabase } = await import('./open-kernel-database.ts')
  // I-26
  using _lock = await lockData(prepared)
  const copied = copies ? await copyIfPending(prepared) : undefined
  await using database = await openKernelDatabase(prepared, { onOrphans })
  return await applyMigrations(prepared, database, copied)
}

/** Copies an SQLite database that has pending migrations. Call it before the database is opened. */
export async function copyIfPending(prepared: PreparedKernel): Promise<CopiedUpgrade | undefined> {
  return isPostgres(prepared.dsn) ? undefined : (await import('./upgrade-copies.ts')).copyBeforeUpgrade(prepared)
}

/** Before the migrations of a PostgreSQL database that has tables of an earlier svc. */
export async function warnWithoutCopy(prepared: PreparedKernel, { read }: OpenDatabase, log: Pick<Log, 'warn'>): Promise<void> {
  if (!isPostgres(prepared.dsn)) return
  const { applied, pending } = await (await import('./sqlite-copies.ts')).readMigrations(prepared, read)
  if (applied.length === 0 || pending.length === 0) return
  log.warn('migrating a PostgreSQL database, of which svc makes no copy; run pg_dump before upgrades', { pending })
}

export async function applyMigrations(
  prepared: PreparedKernel,
  database: OpenDatabase,
  copied: CopiedUpgrade | undefined,
): Promise<Migrated> {
  const applied = await database.migrate()
  if (!copied) return { applied, copy: undefined }
  const { describeWayBack } = await import('./upgrade-copies.ts')
  const path = copied.finish()
  const wayBack = describeWayBack(resolve(databasePath(prepared.dsn)), path, copied.readableBy)
  return { applied, copy: { path, bytes: copied.bytes, wayBack } }
}

interface MigrationStatus extends MigrationState {
  readonly copies: readonly UpgradeCopy[]
}

/** What is applied and pending, also while svc uses the database. */
export async function readMigrationStatus(prepared: PreparedKernel): Promise<MigrationStatus> {
  const { readMigrations, openSqliteFile } = await import('./sqlite-copies.ts')
  const { listUpgradeCopies } = await import('./upgrade-copies.ts')
  const copies = listUpgradeCopies(prepared)
  if (isPostgres(prepared.dsn)) {
    const { openPostgresReader } = await import('../db/postgres/open-postgres.ts')
    await using database = await openPostgresReader(prepared)
    return { ...(await readMigrations(prepared, database.read)), copies }
  }
  const path = resolve(databasePath(prepared.dsn))
  if (!existsSync(path)) throw new Error(`there is no database ${path}; svc serve or svc migrate creates it`)
  using database = await openSqliteFile(path)
  return { ...(await readMigrations(prepared, database)), copies }
}

/** Removes the copies from before upgrades. Refused while migrations are pending: the upgrade may have failed. */
export async function forgetCopies(prepared: PreparedKernel): Promise<readonly UpgradeCopy[]> {
  const { pending } = await readMigrationStatus(prepared)
  if (pending.length > 0)
    throw new Error(`the database lacks ${pending.length} migrations, so its upgrade has not ended; run svc migrate first`)
  return (await import('./upgrade-copies.ts')).forgetUpgradeCopies(prepared)
}
