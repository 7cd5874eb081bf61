import type { FileValue, SystemState } from '#kernel/system'

type PluginList = SystemState['plugins']

const servingPlugin = 'admin'

/** Why `plugins.disabled` must not be this value: without these plugins nothing serves the settings, and no change could take it back. */
export function whyDisablingIsRefused(value: FileValue, plugins: PluginList): string | undefined {
  const serving = withRequirements(servingPlugin, plugins)
  const named = Array.isArray(value) ? value.find((id) => serving.has(id)) : undefined
  if (named === undefined) return undefined
  const reason = named === servingPlugin ? 'which serves the settings' : `which '${servingPlugin}' requires to serve the settings`
  return `must not name '${named}', ${reason}; stop the service and use \`svc plugins disable\``
}

function withRequirements(id: string, plugins: PluginList, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(id)) return found
  found.add(id)
  const plugin = plugins.find((candidate) => candidate.id === id)
  for (const next of [...(plugin?.requires ?? []), ...(plugin?.accompanies ?? [])]) withRequirements(next, plugins, found)
  return found
}
