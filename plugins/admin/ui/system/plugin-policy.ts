/** What can be done with a plugin, from the plugins that run and the saved settings. */
import type { Answer } from '@svc/ui-kit'

export type RunningPlugin = Answer<'GET /system/plugins'>[number]
type Settings = Answer<'GET /settings'>

/** Serves the settings: without it nothing could take the change back. */
const servingPlugin = 'admin'

export interface PluginView {
  readonly plugin: RunningPlugin
  /** Whether the next start enables it. */
  readonly isWanted: boolean
  /** The disabled plugin without which the next start lets this one rest. */
  readonly restsWithout: string | undefined
  /** Differs from the running service. */
  readonly needsRestart: boolean
  readonly requiredBy: readonly string[]
  /** Why it cannot be switched here. */
  readonly lockedReason: string | undefined
}

export function viewPlugins(plugins: readonly RunningPlugin[], settings: Settings): readonly PluginView[] {
  const disabled = disabledOf(settings)
  const serving = withRequirements(servingPlugin, plugins)
  return plugins.map((plugin) => {
    const isWanted = !disabled.includes(plugin.id)
    const restsWithout = isWanted ? findLacking(plugin, plugins, disabled) : undefined
    return {
      plugin,
      isWanted,
      restsWithout,
      needsRestart: (isWanted && restsWithout === undefined) !== plugin.enabled,
      requiredBy: plugins.filter(({ requires }) => requires.includes(plugin.id)).map(({ id }) => id),
      lockedReason: whyLockedBySettings(settings) ?? (isWanted ? whyKept(plugin.id, plugins, disabled, serving) : whyOff(plugin, disabled)),
    }
  })
}

export function disabledOf({ config }: Pick<Settings, 'config'>): readonly string[] {
  const { disabled } = (config.plugins ?? {}) as { readonly disabled?: readonly string[] }
  return disabled ?? []
}

/** What ends beside requests, tasks and pages, for plugins on which other programs depend. */
const dependents: Readonly<Record<string, string>> = {
  observability: ' Monitoring loses /metrics, which answers 404, and no history is recorded.',
}

export const describeDisabling = (id: string): string =>
  `From the next start on, it answers no requests, runs no tasks and shows no pages.${dependents[id] ?? ''} Its data stays as it is.`

/** The next value of `plugins.disabled`. */
export const switchPlugin = (disabled: readonly string[], id: string, isOn: boolean): readonly string[] =>
  isOn ? disabled.filter((other) => other !== id) : [...disabled.filter((other) => other !== id), id]

function whyLockedBySettings({ env_managed, writable, config_path }: Settings): string | undefined {
  const by = env_managed['plugins.disabled']
  if (by !== undefined) return `Set by ${by}. Change it there, then restart.`
  return writable ? undefined : `The service cannot write ${config_path}.`
}

function whyKept(
  id: string,
  plugins: readonly RunningPlugin[],
  disabled: readonly string[],
  serving: ReadonlySet<string>,
): string | undefined {
  if (id === servingPlugin) return 'It serves this dashboard and the settings. Stop the service and use svc plugins disable.'
  if (serving.has(id)) return `The plugin ${servingPlugin}, which serves the settings, requires it.`
  const users = plugins.filter((other) => other.requires.includes(id) && !disabled.includes(other.id)).map((other) => other.id)
  return users.length === 0 ? undefined : `Required by ${users.join(', ')}: disable that first.`
}

function whyOff({ requires }: RunningPlugin, disabled: readonly string[]): string | undefined {
  const lacking = requires.filter((id) => disabled.includes(id))
  return lacking.length === 0 ? undefined : `It requires ${lacking.join(', ')}: enable that first.`
}

/** The first disabled plugin that it accompanies, directly or through others. The kernel refuses circles. */
function findLacking({ accompanies }: RunningPlugin, plugins: readonly RunningPlugin[], disabled: readonly string[]): string | undefined {
  const lacking = accompanies.find((id) => disabled.includes(id))
  if (lacking !== undefined) return lacking
  const accompanied = plugins.filter(({ id }) => accompanies.includes(id))
  return accompanied.map((plugin) => findLacking(plugin, plugins, disabled)).find((id) => id !== undefined)
}

function withRequirements(id: string, plugins: readonly RunningPlugin[], found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(id)) return found
  found.add(id)
  const plugin = plugins.find((candidate) => candidate.id === id)
  for (const next of [...(plugin?.requires ?? []), ...(plugin?.accompanies ?? [])]) withRequirements(next, plugins, found)
  return found
}
