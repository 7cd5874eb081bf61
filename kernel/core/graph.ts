import type { Plugin } from './plugin.ts'

/** Why these plugins cannot start together. Lists every problem, not only the first. */
export class PluginGraphError extends Error {
  override readonly name = 'PluginGraphError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options)
    this.problems = problems
  }
}

export interface OrderedPlugins<P> {
  /** Each plugin comes after those it requires. */
  readonly enabled: readonly P[]
  readonly disabled: readonly P[]
}

/**
 * Orders plugins so that each comes after those it requires.
 * Throws PluginGraphError that names every unknown or disabled requirement and each cycle in full.
 * @param disabledPlace the key or variable that holds `disabledIds`, for messages
 */
export function orderPlugins<P extends Pick<Plugin, 'id' | 'requires'>>(
  plugins: readonly P[],
  disabledIds: readonly string[] = [],
  disabledPlace = 'plugins.disabled',
): OrderedPlugins<P> {
  const problems: string[] = []
  const byId = new Map<string, P>()
  for (const plugin of plugins) {
    if (byId.has(plugin.id)) problems.push(`plugin '${plugin.id}' is listed twice`)
    byId.set(plugin.id, plugin)
  }
  const off = new Set(disabledIds)
  for (const id of off) {
    if (!byId.has(id)) problems.push(`${disabledPlace} names '${id}', which does not exist; known plugins: ${[...byId.keys()].join(', ')}`)
  }
  const enabled: P[] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (plugin: P, path: readonly string[]): void => {
    if (state.get(plugin.id) === 'done') return
    const trail = [...path, plugin.id]
    if (state.get(plugin.id) === 'open') {
      problems.push(`plugins require each other: ${trail.slice(trail.indexOf(plugin.id)).join(' -> ')}`)
      return
    }
    state.set(plugin.id, 'open')
    for (const id of plugin.requires) {
      const required = byId.get(id)
      if (!required) problems.push(`plugin '${plugin.id}' requires '${id}', which is not installed`)
      else if (off.has(id))
        problems.push(`plugin '${plugin.id}' requires '${id}', which is disabled; enable '${id}' or disable '${plugin.id}' too`)
      else visit(required, trail)
    }
    state.set(plugin.id, 'done')
    enabled.push(plugin)
  }
  for (const plugin of byId.values()) if (!off.has(plugin.id)) visit(plugin, [])
  if (problems.length > 0) throw new PluginGraphError(problems)
  return { enabled, disabled: [...byId.values()].filter((plugin) => off.has(plugin.id)) }
}
