import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { dashboardUis, type Plugin } from '#kernel'
import { loadContributions, PluginGraphError } from '#kernel/host'

/** The file with the part of a plugin in the dashboard. */
interface DashboardSource {
  readonly plugin: string
  /** Absolute path. */
  readonly module: string
}

/** Reads only declarations. Throws PluginGraphError that lists every invalid one. */
export async function readDashboardSources(plugins: readonly Plugin[]): Promise<readonly DashboardSource[]> {
  const uis = await loadContributions(dashboardUis, plugins)
  const problems = uis.flatMap(({ plugin, item }, at) => {
    const isSecond = uis.findIndex((other) => other.plugin === plugin) < at
    return [...findProblem(item.module), ...(isSecond ? ['one plugin has one part in the dashboard'] : [])].map(
      (problem) => `dashboard of plugin '${plugin.id}': ${problem}`,
    )
  })
  if (problems.length > 0) throw new PluginGraphError(problems)
  return uis
    .map(({ plugin, item }) => ({ plugin: plugin.id, module: fileURLToPath(item.module) }))
    .sort((a, b) => (a.plugin < b.plugin ? -1 : 1))
}

function findProblem(module: URL): readonly string[] {
  if (!(module instanceof URL && module.protocol === 'file:')) {
    return ["its module must be a file: new URL('./ui/index.ts', import.meta.url)"]
  }
  return existsSync(module) ? [] : [`its module ${fileURLToPath(module)} does not exist`]
}
