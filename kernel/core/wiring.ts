import type { ExtensionPoint } from './extension-point.ts'
import { PluginGraphError } from './graph.ts'
import type { LoadedPlugin } from './loaded-plugin.ts'
import type { ServiceRef, Uses } from './service.ts'

/** One contributed item with the plugin it came from. */
export interface Contributed<C> {
  readonly plugin: LoadedPlugin
  readonly item: C
}

export function contributionsTo<C>(point: ExtensionPoint<C>, plugins: readonly LoadedPlugin[]): readonly Contributed<C>[] {
  return plugins.flatMap((plugin) =>
    plugin.contributes
      .filter((contribution) => contribution.point === point)
      .flatMap((contribution) => contribution.items.map((item) => ({ plugin, item: item as C }))),
  )
}

/**
 * Checks that each service in a `uses` is provided by the kernel, by the plugin itself, or by a plugin that it requires or accompanies,
 * directly or indirectly, and that services do not use each other, also as optional ones. Throws PluginGraphError that lists every
 * problem.
 */
export function checkServices(
  enabled: readonly LoadedPlugin[],
  disabled: readonly LoadedPlugin[],
  kernelRefs: readonly ServiceRef<unknown>[],
): void {
  const problems: string[] = []
  const givers = findGivers(enabled, problems)
  const kernelTokens = new Set(kernelRefs.map((ref) => ref.token))
  for (const plugin of enabled) {
    const reachable = requiredBy(plugin, enabled)
    for (const { user, ref } of servicesAskedFor(plugin)) {
      if (ref.isOptional || kernelTokens.has(ref.token)) continue
      const giver = givers.get(ref.token)
      if (giver && reachable.has(giver.id)) continue
      problems.push(
        `${user} of plugin '${plugin.id}' uses the service '${ref.id}'${explainLack(plugin, giver, findDisabledGiver(ref, disabled))}`,
      )
    }
  }
  problems.push(...findServiceCircles(enabled))
  if (problems.length > 0) throw new PluginGraphError(problems)
}

/** Each circle of services, which could not be created: each would need the other first. */
function findServiceCircles(enabled: readonly LoadedPlugin[]): readonly string[] {
  const providers = new Map(enabled.flatMap(({ provides }) => provides.map((provider) => [provider.ref.token, provider])))
  const circles: string[] = []
  const done = new Set<symbol>()
  const visit = (token: symbol, path: readonly symbol[]): void => {
    const provider = providers.get(token)
    if (!provider || done.has(token)) return
    if (path.includes(token)) {
      const circle = [...path.slice(path.indexOf(token)), token].map((each) => providers.get(each)?.ref.id)
      circles.push(`services use each other: ${circle.join(' -> ')}`)
      return
    }
    for (const used of refsOf(provider.uses)) visit(used.token, [...path, token])
    done.add(token)
  }
  for (const token of providers.keys()) visit(token, [])
  return circles
}

function findGivers(enabled: readonly LoadedPlugin[], problems: string[]): ReadonlyMap<symbol, LoadedPlugin> {
  const givers = new Map<symbol, LoadedPlugin>()
  for (const plugin of enabled) {
    for (const { ref } of plugin.provides) {
      const other = givers.get(ref.token)
      if (other) problems.push(`both '${other.id}' and '${plugin.id}' provide the service '${ref.id}'`)
      givers.set(ref.token, plugin)
    }
  }
  return givers
}

/** Ids of the plugin itself and all that it requires or accompanies, directly or through others. */
function requiredBy(plugin: LoadedPlugin, enabled: readonly LoadedPlugin[]): ReadonlySet<string> {
  const reached = new Set([plugin.id])
  // Iterating a set also visits entries that the loop adds.
  for (const id of reached) {
    const found = enabled.find((candidate) => candidate.id === id)
    for (const next of [...(found?.requires ?? []), ...(found?.accompanies ?? [])]) reached.add(next)
  }
  return reached
}

const findDisabledGiver = (ref: ServiceRef<unknown>, disabled: readonly LoadedPlugin[]): LoadedPlugin | undefined =>
  disabled.find((plugin) => plugin.provides.some((provider) => provider.ref.token === ref.token))

function explainLack(plugin: LoadedPlugin, giver: LoadedPlugin | undefined, disabledGiver: LoadedPlugin | undefined): string {
  if (giver) return ` of plugin '${giver.id}'; add '${giver.id}' to the requires of '${plugin.id}'`
  if (disabledGiver) return ` of plugin '${disabledGiver.id}', which is disabled; enable it or disable '${plugin.id}' too`
  return ', which no plugin provides'
}

function servicesAskedFor(plugin: LoadedPlugin): readonly { readonly user: string; readonly ref: ServiceRef<unknown> }[] {
  const asked = plugin.provides.flatMap((provider) => refsOf(provider.uses).map((ref) => ({ user: `service '${provider.ref.id}'`, ref })))
  const contributed = plugin.contributes.flatMap((contribution) =>
    contribution.items.flatMap((item) => {
      const { name, kind, uses } = item as { readonly name?: string; readonly kind?: string; readonly uses?: Uses }
      return refsOf(uses ?? {}).map((ref) => ({ user: `${contribution.point.id} '${name ?? kind ?? '?'}'`, ref }))
    }),
  )
  return [...asked, ...contributed]
}

const refsOf = (uses: Uses): readonly ServiceRef<unknown>[] => Object.values(uses)
