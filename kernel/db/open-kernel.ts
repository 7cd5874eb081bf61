import { taskMigrations } from '../tasks/task-migrations.ts'
import type { Schema } from './database.ts'
import { type OpenDatabase, openDatabase } from './open.ts'

/** The database with the kernel's own tables and those of the given plugins. */
export async function openKernelDatabase(dsn: string, schemas: readonly Schema[]): Promise<OpenDatabase> {
  const loaded = await Promise.all(schemas.map(async (schema) => ({ name: schema.name, ...(await schema.load()) })))
  return openDatabase({ dsn, schemas: [{ name: 'kernel', migrations: taskMigrations }, ...loaded] })
}
