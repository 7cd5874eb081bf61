import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CommandCall, CommandError } from '#kernel'
import { choosePlugins } from '#kernel/host'
import { chooseDashboard, ownDashboardFolder } from '#kernel/system'
import { builtinPlugins } from '../../plugins/index.ts'
import { findPlace } from '../command-settings.ts'
import { readDashboardSources } from '../dashboard-sources.ts'
import { formatTable } from '../terminal/table.ts'

const builtIn = fileURLToPath(new URL('../../ui/dist', import.meta.url))
const buildAdvice = 'run `svc plugins build`'

interface BuiltPart {
  readonly plugin: string
  readonly pages?: readonly { readonly path: string; readonly title: string; readonly setup?: boolean }[]
}

/** The pages of enabled plugins in the served dashboard. Imports the declarations of plugins, and none of their pages. */
export async function run(call: CommandCall): Promise<undefined> {
  const place = findPlace(call)
  const { enabled } = await choosePlugins({ plugins: builtinPlugins, ...place, env: call.env })
  const sources = await readDashboardSources(enabled)
  const { folder, problem } = chooseDashboard(builtIn, ownDashboardFolder(place.dataDir))
  if (problem !== undefined) call.out.note(problem)
  const parts = readBuiltParts(join(folder, 'plugins.json'))
  for (const { plugin } of sources) {
    if (!parts.some((part) => part.plugin === plugin))
      call.out.note(`The pages of plugin '${plugin}' are not in the built dashboard: ${buildAdvice}.`)
  }
  const pages = sources.flatMap(({ plugin, module }) =>
    (parts.find((part) => part.plugin === plugin)?.pages ?? []).map(({ path, title, setup = false }) => ({
      path,
      title,
      plugin,
      setup,
      module,
    })),
  )
  const rows = pages.map(({ path, title, plugin, setup, module }) => [path, title, plugin, setup ? 'yes' : 'no', module])
  call.out.result(pages, rows.length === 0 ? 'No enabled plugin has pages.' : formatTable(header, rows))
}

const header = ['path', 'title', 'plugin', 'in setup', 'module']

function readBuiltParts(path: string): readonly BuiltPart[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as readonly BuiltPart[]
  } catch (cause) {
    throw new CommandError(`The dashboard is not built: ${buildAdvice}.`, { cause })
  }
}
