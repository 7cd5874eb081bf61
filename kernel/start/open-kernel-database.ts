import { contributionsTo } from '../core/wiring.ts'
import { dbSchemas, type Reader, type Schema } from '../db/database.ts'
import { databaseSection } from '../db/database-settings.ts'
import type { MigrationState } from '../db/migrations.ts'
import { openDatabase } from '../db/open.ts'
import type { NamedMigrations, OpenDatabase, OpenRequest } from '../db/open-request.ts'
import { taskMigrations } from '../tasks/rows/task-migrations.ts'
import type { PreparedKernel } from './prepare.ts'

/** The database of the settings, with the kernel's own tables and those of the plugins. */
export async function openKernelDatabase(
  prepared: PreparedKernel,
  options: Omit<OpenRequest, 'dsn' | 'schemas' | 'otherSchemas'> = {},
): Promise<OpenDatabase> {
  const { allow_unsafe: allowsUnsafe } = prepared.settings(databaseSection)
  return openDatabase({ dsn: prepared.dsn, allowsUnsafe, ...(await loadSchemas(schemasOf(prepared))), ...options })
}

/** The migrations of an existing database, compared with those of this svc. */
export async function migrationStateOf(prepared: PreparedKernel, read: Reader): Promise<MigrationState> {
  const { readMigrationState } = await import('../db/migrations.ts')
  return readMigrationState(read, await loadSchemas(schemasOf(prepared)))
}

/** The migrations of the kernel and the enabled plugins, and those of disabled ones. */
async function loadSchemas({ enabled, disabled }: ReturnType<typeof schemasOf>) {
  const [schemas, otherSchemas] = await Promise.all([kernelMigrations(enabled), load(disabled)])
  return { schemas, otherSchemas }
}

/** The kernel's own migrations and those of the given schemas. */
export const kernelMigrations = async (schemas: readonly Schema[]): Promise<readonly NamedMigrations[]> => [
  { name: 'kernel', migrations: taskMigrations },
  ...(await load(schemas)),
]

const load = (schemas: readonly Schema[]) => Promise.all(schemas.map(async (schema) => ({ name: schema.name, ...(await schema.load()) })))

/** Database schemas of the plugins. */
export function schemasOf({ enabled, disabled }: Pick<PreparedKernel, 'enabled' | 'disabled'>): {
  /** Their migrations are applied. */
  readonly enabled: readonly Schema[]
  /** Their tables, if present, stay unchanged. */
  readonly disabled: readonly Schema[]
} {
  const of = (plugins: PreparedKernel['enabled']) => contributionsTo(dbSchemas, plugins).map(({ item }) => item)
  return { enabled: of(enabled), disabled: of(disabled) }
}
