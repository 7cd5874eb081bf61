/** Describes every plugin, built-in or named by the configuration, also when they cannot start together. */

import { type CommandCall, CommandError, configSections } from '#kernel'
import { contributionsTo, findResting, type LoadedPlugin, PluginGraphError, prepareKernel, readConfigFile } from '#kernel/host'
import { builtinPlugins } from '../../plugins/index.ts'
import { adviseInit, findPlace } from '../command-settings.ts'

export const disabledKey = 'plugins.disabled'
const disabledVariable = 'SVC_PLUGINS_DISABLED'

export interface SurveyedPlugin {
  readonly id: string
  readonly state: 'enabled' | 'disabled' | 'resting'
  readonly source: 'built-in' | 'third-party'
  readonly requires: readonly string[]
  readonly accompanies: readonly string[]
  readonly services: readonly string[]
  /** Names of the contributions, by extension point. */
  readonly contributes: Readonly<Record<string, readonly string[]>>
  /** Its tables in the configuration file. */
  readonly settings: readonly string[]
}

interface PluginSurvey {
  readonly plugins: readonly SurveyedPlugin[]
  readonly disabled: readonly string[]
  /** Why the enabled plugins cannot start together. */
  readonly problem: PluginGraphError | undefined
}

export async function surveyPlugins(call: CommandCall): Promise<PluginSurvey> {
  const disabled = readDisabled(call)
  const { plugins, problem } = await findPlugins(call, disabled)
  const resting = findResting(plugins, disabled)
  const stateOf = (id: string) => (disabled.includes(id) ? 'disabled' : resting.has(id) ? 'resting' : 'enabled')
  return { plugins: plugins.map((plugin) => describe(plugin, stateOf(plugin.id))), disabled, problem }
}

async function findPlugins(call: CommandCall, disabledIds: readonly string[]) {
  try {
    const { enabled, disabled } = await prepare(call, disabledIds)
    return { plugins: [...enabled, ...disabled], problem: undefined }
  } catch (error) {
    if (!(error instanceof PluginGraphError)) throw error
    // All are enabled, so that a refused choice can be listed and corrected.
    const { enabled } = await prepare(call, [])
    return { plugins: enabled, problem: error }
  }
}

/** Throws PluginGraphError when the plugins cannot start with these disabled. */
export async function checkChoice(call: CommandCall, disabled: readonly string[]): Promise<void> {
  await prepare(call, disabled)
}

/** The path of the configuration file. Throws CommandError when it does not exist or a variable overrides `plugins.disabled`. */
export function requireFileDecides(call: CommandCall): string {
  const { configPath } = findPlace(call)
  if (call.env[disabledVariable] !== undefined) {
    throw new CommandError(`${disabledVariable} overrides ${configPath}; change it there, or unset it`)
  }
  if (!readConfigFile(configPath).exists) throw new CommandError(adviseInit(configPath, call.env))
  return configPath
}

const prepare = (call: CommandCall, disabled: readonly string[]) =>
  prepareKernel({ plugins: builtinPlugins, ...findPlace(call), env: call.env, flags: { [disabledKey]: disabled.join(',') } })

function readDisabled(call: CommandCall): readonly string[] {
  const fromEnv = call.env[disabledVariable]
  if (fromEnv !== undefined) return fromEnv.split(',').flatMap((id) => id.trim() || [])
  const table = readConfigFile(findPlace(call).configPath).tree.plugins as { readonly disabled?: unknown } | undefined
  return Array.isArray(table?.disabled) ? table.disabled.map(String) : []
}

function describe(plugin: LoadedPlugin, state: SurveyedPlugin['state']): SurveyedPlugin {
  const contributes: Record<string, readonly string[]> = {}
  for (const { point, items } of plugin.contributes) contributes[point.id] = [...(contributes[point.id] ?? []), ...items.map(nameOf)]
  return {
    id: plugin.id,
    state,
    source: builtinPlugins.some(({ id }) => id === plugin.id) ? 'built-in' : 'third-party',
    requires: plugin.requires,
    accompanies: plugin.accompanies,
    services: plugin.provides.map(({ ref }) => ref.id),
    contributes,
    settings: contributionsTo(configSections, [plugin]).map(({ item }) => item.path),
  }
}

/** Every kind of contribution has its name in one of these members. */
function nameOf(item: unknown): string {
  const { name, kind, topic, path, id } = item as Readonly<Record<string, string | undefined>>
  return name ?? kind ?? topic ?? path ?? id ?? '(unnamed)'
}
