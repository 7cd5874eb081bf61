import { dbSchemas } from '../db/database.ts'
import type { PreparedKernel } from '../prepare.ts'
import { contributionsTo } from '../wiring.ts'

/** Applies the pending migrations of the kernel and the enabled plugins and returns their names, such as `storage/0001-init`. */
export async function migrateDatabase(prepared: PreparedKernel): Promise<readonly string[]> {
  const { lockData } = await import('../lock/data-lock.ts')
  const { openKernelDatabase } = await import('../db/open-kernel.ts')
  // I-26
  using _lock = await lockData(prepared)
  const schemas = contributionsTo(dbSchemas, prepared.enabled).map(({ item }) => item)
  await using database = await openKernelDatabase(prepared.dsn, schemas)
  return await database.migrate()
}
