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
  /** Each plugin comes after those it requires and accompanies. */
  readonly enabled: readonly P[]
  /** Plugins that do not run: named by the configuration, or resting. */
  readonly disabled: readonly P[]
  /** Each plugin that rests, with the disabled plugin that it waits for. */
  readonly resting: ReadonlyMap<string, string>
}

/** Each plugin that does not run only because it accompanies one that is disabled or rests, with the id of the disabled one. */
export function findResting(
  plugins: readonly Pick<Plugin, 'id' | 'accompanies'>[],
  disabledIds: readonly string[],
): ReadonlyMap<string, string> {
  const off = new Map(disabledIds.map((id) => [id, id]))
  // Iterating a map also visits entries that the loop adds.
  for (const [id, disabledId] of off) {
    for (const plugin of plugins) if (plugin.accompanies.includes(id) && !off.has(plugin.id)) off.set(plugin.id, disabledId)
  }
  for (const id of disabledIds) off.delete(id)
  return off
}

/**
 * Orders plugins so that each comes after those it requires and accompanies.
 * Throws PluginGraphError that names every unknown or disabled requirement and each circle in full.
 * @param disabledPlace the key or variable that holds `disabledIds`, for messages
 */
export function orderPlugins<P extends Pick<Plugin, 'id' | 'requires' | 'accompanies'>>(
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
  const named = new Set(disabledIds)
  for (const id of named) {
    if (!byId.has(id)) problems.push(`${disabledPlace} names '${id}', which does not exist; known plugins: ${[...byId.keys()].join(', ')}`)
  }
  const resting = findResting(plugins, disabledIds)
  const isOff = (id: string): boolean => named.has(id) || resting.has(id)
  const enabled: P[] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (plugin: P, path: readonly string[]): void => {
    if (state.get(plugin.id) === 'done') return
    const trail = [...path, plugin.id]
    if (state.get(plugin.id) === 'open') {
      problems.push(`plugins require or accompany each other: ${trail.slice(trail.indexOf(plugin.id)).join(' -> ')}`)
      return
    }
    state.set(plugin.id, 'open')
    for (const id of [...plugin.requires, ...plugin.accompanies]) {
      const needed = byId.get(id)
      if (needed && !isOff(id)) visit(needed, trail)
    }
    state.set(plugin.id, 'done')
    enabled.push(plugin)
  }
  for (const plugin of byId.values()) {
    if (isOff(plugin.id)) continue
    problems.push(...explainLacks(plugin, byId, isOff, resting))
    visit(plugin, [])
  }
  if (problems.length > 0) throw new PluginGraphError(problems)
  return { enabled, disabled: [...byId.values()].filter(({ id }) => isOff(id)), resting }
}

function explainLacks(
  { id, requires, accompanies }: Pick<Plugin, 'id' | 'requires' | 'accompanies'>,
  installed: ReadonlyMap<string, unknown>,
  isOff: (id: string) => boolean,
  resting: ReadonlyMap<string, string>,
): readonly string[] {
  const lacksOf = (verb: string, ids: readonly string[]) =>
    ids.filter((other) => !installed.has(other)).map((other) => `plugin '${id}' ${verb} '${other}', which is not installed`)
  const off = requires
    .filter((other) => installed.has(other) && isOff(other))
    .map((other) => {
      const cause = resting.get(other)
      const why = cause === undefined ? 'is disabled' : `rests while '${cause}' is disabled`
      return `plugin '${id}' requires '${other}', which ${why}; enable '${cause ?? other}' or disable '${id}' too`
    })
  return [...lacksOf('requires', requires), ...off, ...lacksOf('accompanies', accompanies)]
}
