import { readDashboardSources } from '../../cli/dashboard-sources.ts'
import { choosePlugins, resolveConfigPath } from '../../kernel/host.ts'
import { builtinPlugins } from '../../plugins/index.ts'
import type { UiSource } from './plugin-uis.ts'

/** The parts of all built-in plugins, and of those in `plugins.packages` of the configuration that SVC_CONFIG names. */
export async function findUiSources(env: NodeJS.ProcessEnv = process.env): Promise<readonly UiSource[]> {
  if (env.SVC_CONFIG === undefined) return readDashboardSources(builtinPlugins)
  const configPath = resolveConfigPath(undefined, env)
  const { enabled, disabled } = await choosePlugins({ plugins: builtinPlugins, configPath, dataDir: '', env })
  return readDashboardSources([...enabled, ...disabled])
}
