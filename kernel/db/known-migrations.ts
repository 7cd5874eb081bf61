import { version } from '../version.ts'
import type { Reader } from './database.ts'
import type { NamedMigrations } from './open.ts'

/** Table of the applied migrations, named like `storage/0001-init`. */
export const migrationTable = 'svc_migration'
const namesShownMax = 3

/** Throws when the database has migrations unknown to every schema: a newer svc may have changed any table. */
export function refuseUnknownMigrations(read: Reader, path: string, schemas: readonly NamedMigrations[]): void {
  if (!read.get(`select 1 from sqlite_master where type = 'table' and name = '${migrationTable}'`)) return
  const known = new Set(schemas.flatMap(({ name, migrations }) => migrations.map((step) => `${name}/${step.name}`)))
  const applied = read.all<{ name: string }>(`select name from ${migrationTable} order by id`)
  const unknown = applied.filter(({ name }) => !known.has(name)).map(({ name }) => name)
  if (unknown.length === 0) return
  const shown =
    unknown.slice(0, namesShownMax).join(', ') + (unknown.length > namesShownMax ? ` and ${unknown.length - namesShownMax} more` : '')
  throw new Error(
    `the database ${path} has migrations that svc ${version.version} does not know (${shown}): it was used by a newer svc, or by a plugin ` +
      'that is not installed now. Start that version, or install the plugin again (it may stay disabled), or restore a backup from before',
  )
}
