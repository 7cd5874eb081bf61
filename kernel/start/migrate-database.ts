import type { OrphanListener } from '../db/orphans.ts'
import type { PreparedKernel } from './prepare.ts'

/** Applies the pending migrations of the kernel and the enabled plugins and returns their names, such as `storage/0001-init`. */
export async function migrateDatabase(prepared: PreparedKernel, onOrphans?: OrphanListener): Promise<readonly string[]> {
  const { lockData } = await import('../lock/data-lock.ts')
  const { openKernelDatabase } = await import('./open-kernel-database.ts')
  // I-26
  using _lock = await lockData(prepared)
  await using database = await openKernelDatabase(prepared, { onOrphans })
  return await database.migrate()
}
