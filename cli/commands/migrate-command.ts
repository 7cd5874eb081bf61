import { type CommandCall, CommandError } from '#kernel'
import { forgetCopies, isPostgres, migrateDatabase, type PreparedKernel, prepareKernel, readMigrationStatus } from '#kernel/host'
import { builtinPlugins } from '../../plugins/index.ts'
import { findPlace } from '../command-settings.ts'
import { formatSize } from '../terminal/size.ts'
import { refuseUnusable } from '../unusable-config.ts'
import { usageError } from '../usage.ts'

type MigrateCall = CommandCall<unknown, { backup: boolean; status: boolean; forgetBackup: boolean }>

export async function run(call: MigrateCall): Promise<undefined> {
  const { backup, status, forgetBackup } = call.flags
  if ([backup, status, forgetBackup].filter(Boolean).length > 1)
    throw usageError('--backup, --status and --forget-backup exclude each other')
  const prepared = await prepareKernel({ plugins: builtinPlugins, ...findPlace(call), env: call.env })
  refuseUnusable(prepared, call)
  if (status) return showStatus(call, prepared)
  if (forgetBackup) return forget(call, prepared)
  return migrate(call, prepared)
}

async function migrate({ flags, out }: MigrateCall, prepared: PreparedKernel): Promise<undefined> {
  if (flags.backup && isPostgres(prepared.dsn)) {
    throw new CommandError(
      'svc copies no PostgreSQL database: make a copy with pg_dump --format=custom, then run svc migrate without --backup',
    )
  }
  const orphans: string[] = []
  const onOrphans = ({ table, parent, rows, keptIn }: { table: string; parent: string; rows: number; keptIn: string }) => {
    orphans.push(`Moved ${rows} rows of ${table} without their row of ${parent} to ${keptIn}`)
  }
  const { applied, copy } = await migrateDatabase(prepared, { onOrphans, copies: flags.backup })
  const lines = applied.length === 0 ? ['The database is up to date.'] : [...applied.map((name) => `Applied ${name}`), ...orphans]
  if (copy) lines.push(`Copy of the database from before: ${copy.path}, ${formatSize(copy.bytes)}`, `Hint: ${copy.wayBack}`)
  out.result({ applied, ...(copy && { backup: { path: copy.path, bytes: copy.bytes } }) }, lines.join('\n'))
}

async function showStatus({ out }: MigrateCall, prepared: PreparedKernel): Promise<undefined> {
  const { applied, pending, unknown, readableBy, copies } = await readMigrationStatus(prepared)
  const lines = [
    `Applied: ${applied.length} migrations, the last one by svc ${readableBy ?? 'of a version that did not record it'}`,
    pending.length === 0 ? 'Pending: none' : `Pending: ${pending.join(', ')}`,
    ...(unknown.length === 0 ? [] : [`Of a later svc or of another plugin: ${unknown.join(', ')}`]),
    copies.length === 0 ? 'Copies from before upgrades: none' : 'Copies from before upgrades, until svc migrate --forget-backup:',
    ...copies.map(({ path, bytes, madeAt }) => `  ${path}  ${formatSize(bytes)}  ${madeAt}`),
  ]
  const result = { applied: applied.length, pending, unknown, readable_by: readableBy ?? null, backups: copies.map(toJson) }
  out.result(result, lines.join('\n'))
}

const toJson = ({ path, bytes, madeAt }: { path: string; bytes: number; madeAt: string }) => ({ path, bytes, made_at: madeAt })

async function forget({ out }: MigrateCall, prepared: PreparedKernel): Promise<undefined> {
  const copies = await forgetCopies(prepared)
  const text = copies.length === 0 ? 'There is no copy from before an upgrade.' : copies.map(({ path }) => `Removed ${path}`).join('\n')
  out.result({ removed: copies.map(toJson) }, text)
}
