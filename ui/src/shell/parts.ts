/** What the enabled plugins add to the dashboard. */
import { pluginUis } from 'virtual:svc-plugin-uis'
import { type ReadonlySignal, useComputed$ } from '@builder.io/qwik'
import { hold, useObservable } from '../data/observable.ts'
import { boot, enabledPlugins } from '../data/session.ts'
import type { PageEntry, PluginUi } from '../plugin-ui.ts'
import { type Match, matchPath } from '../router/match.ts'

type ListName = Exclude<keyof PluginUi, 'search' | 'eventTopics'>
type Part<K extends ListName> = NonNullable<PluginUi[K]>[number]

/** The service does not say in setup mode which plugins are enabled: only pages for setup mode count. */
const isShown = (plugin: string, enabled: ReadonlySet<string> | undefined): boolean => enabled?.has(plugin) ?? false

/** Entries of all enabled plugins, by their order. */
export function partsOf<K extends ListName>(name: K, enabled: ReadonlySet<string> | undefined): readonly Part<K>[] {
  const parts = pluginUis.filter(({ plugin }) => isShown(plugin, enabled)).flatMap(({ ui }) => (ui[name] ?? []) as readonly Part<K>[])
  return parts.filter((part) => !('needs' in part) || isShown(part.needs as string, enabled)).sort((a, b) => orderOf(a) - orderOf(b))
}

const orderOf = (part: object): number => ('order' in part && typeof part.order === 'number' ? part.order : 0)

/** The entries of all enabled plugins as a signal: `useParts('cards')`. */
export function useParts<K extends ListName>(name: K): ReadonlySignal<readonly Part<K>[]> {
  const enabled = useObservable(enabledPlugins)
  return useComputed$(() => hold(partsOf(name, enabled.value)))
}

/** The menu in setup mode and else. */
export function menuEntries(): readonly Part<'nav'>[] {
  if (boot.value !== 'setup') return partsOf('nav', enabledPlugins.value)
  return pluginUis.flatMap(({ ui }) => (ui.nav ?? []).filter(({ to }) => ui.pages?.some(({ path, setup }) => path === to && setup)))
}

export interface FoundPage extends Match {
  readonly plugin: string
  readonly page: PageEntry
}

/** The page of a path, of enabled plugins and others. */
export function findPage(path: string): FoundPage | undefined {
  const found = pluginUis.flatMap(({ plugin, ui }) =>
    (ui.pages ?? []).flatMap((page) => {
      const match = matchPath(page.path, path)
      return match ? [{ plugin, page, ...match }] : []
    }),
  )
  return found.sort((a, b) => b.rank - a.rank)[0]
}
