import { preloadDatabase } from '../db/open.ts'
import { schemasOf } from './open-kernel-database.ts'
import type { PreparedKernel } from './prepare.ts'

/** Imports what a start needs once it has the data. For a start that waits for another svc: its users have no service from then on. */
export async function preload(prepared: PreparedKernel): Promise<void> {
  await Promise.all([
    preloadDatabase(prepared.dsn),
    import('../db/sqlite/sqlite-file.ts'),
    import('../tasks/engine/create-engine.ts'),
    import('./migrate-database.ts'),
    import('./upgrade-copies.ts'),
    ...schemasOf(prepared).enabled.map((schema) => schema.load()),
  ])
}
