import type { CommandCall } from '#kernel'
import { migrateDatabase, prepareKernel } from '#kernel/host'
import { builtinPlugins } from '../../plugins/index.ts'
import { findPlace } from '../command-settings.ts'
import { refuseUnusable } from '../unusable-config.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const prepared = await prepareKernel({ plugins: builtinPlugins, ...findPlace(call), env: call.env })
  refuseUnusable(prepared, call)
  const orphans: string[] = []
  const applied = await migrateDatabase(prepared, ({ table, parent, rows, keptIn }) => {
    orphans.push(`Moved ${rows} rows of ${table} without their row of ${parent} to ${keptIn}`)
  })
  const text = applied.length === 0 ? 'The database is up to date.' : [...applied.map((name) => `Applied ${name}`), ...orphans].join('\n')
  call.out.result({ applied }, text)
}
