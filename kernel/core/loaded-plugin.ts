import type { ExtensionPoint } from './extension-point.ts'
import { PluginGraphError } from './graph.ts'
import type { Plugin } from './plugin.ts'
import type { Provider } from './service.ts'

/** A plugin whose modules are imported: everything it adds, as values. */
export interface LoadedPlugin extends Pick<Plugin, 'id' | 'requires' | 'accompanies'> {
  readonly provides: readonly Provider[]
  readonly contributes: readonly LoadedContribution[]
}

interface LoadedContribution {
  readonly point: ExtensionPoint<unknown>
  readonly items: readonly unknown[]
}

/** Throws PluginGraphError when one of its modules cannot be imported. */
export async function loadPlugin(plugin: Plugin): Promise<LoadedPlugin> {
  const { id, requires, accompanies, provides, contributes } = plugin
  return naming(plugin, async () => ({
    id,
    requires,
    accompanies,
    provides: checkAll('provides', typeof provides === 'function' ? await provides() : provides),
    contributes: await Promise.all(contributes.map(async ({ point, load }) => ({ point, items: checkAll(point.id, await load()) }))),
  }))
}

/** Imports only what the plugins add to one extension point. */
export async function loadContributions<C>(
  point: ExtensionPoint<C>,
  plugins: readonly Plugin[],
): Promise<readonly { readonly plugin: Plugin; readonly item: C }[]> {
  const loaded = plugins.map((plugin) =>
    naming(plugin, async () => {
      const lists = await Promise.all(plugin.contributes.filter((added) => added.point === point).map(({ load }) => load()))
      return checkAll(point.id, lists.flat()).map((item: C) => ({ plugin, item }))
    }),
  )
  return (await Promise.all(loaded)).flat()
}

/** A module that lacks the wanted export loads as undefined. */
function checkAll<T>(list: string, items: readonly T[]): readonly T[] {
  if (!Array.isArray(items) || items.some((item) => item === null || typeof item !== 'object')) {
    throw new Error(`'${list}' has an entry that is not an object; does its module export that name?`)
  }
  return items
}

async function naming<T>({ id }: Plugin, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new PluginGraphError([`plugin '${id}' cannot be loaded: ${(cause as Error).message}`], { cause })
  }
}
