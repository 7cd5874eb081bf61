import type { CommandCall } from '#kernel'
import { choosePlugins, readPageManifest } from '#kernel/host'
import { builtinPlugins } from '../plugins/index.ts'
import { findPlace } from './command-settings.ts'
import { formatTable } from './terminal/table.ts'

/** Imports the declarations of plugins, and none of their pages. */
export async function run(call: CommandCall): Promise<undefined> {
  const { enabled } = await choosePlugins({ plugins: builtinPlugins, ...findPlace(call), env: call.env })
  const pages = await readPageManifest(enabled)
  const rows = pages.map(({ path, label, group, access, plugin, module }) => [path, label, group ?? '—', access, plugin, module])
  call.out.result(pages, rows.length === 0 ? 'No enabled plugin has pages.' : formatTable(header, rows))
}

const header = ['path', 'label', 'group', 'access', 'plugin', 'module']
