import type { Schema } from './db/database.ts'
import { type OpenDatabase, type OpenRequest, openDatabase } from './db/open.ts'
import type { schemasOf } from './db/schemas-of.ts'
import { taskMigrations } from './tasks/task-migrations.ts'

/** The database with the kernel's own tables and those of the given plugins. */
export async function openKernelDatabase(
  dsn: string,
  { enabled, disabled }: ReturnType<typeof schemasOf>,
  options: Pick<OpenRequest, 'onWriteFault' | 'onOrphans' | 'clock' | 'lockWait'> = {},
): Promise<OpenDatabase> {
  const [schemas, otherSchemas] = await Promise.all([load(enabled), load(disabled)])
  return openDatabase({ dsn, schemas: [{ name: 'kernel', migrations: taskMigrations }, ...schemas], otherSchemas, ...options })
}

const load = (schemas: readonly Schema[]) => Promise.all(schemas.map(async (schema) => ({ name: schema.name, ...(await schema.load()) })))
