import { type ReadonlySignal, useComputed$ } from '@builder.io/qwik'
import { useObservable } from '../../data/observable.ts'
import { enabledPlugins } from '../../data/session.ts'

/** Whether a plugin runs, for links into its pages. */
export function useIsEnabled(plugin: string): ReadonlySignal<boolean> {
  const enabled = useObservable(enabledPlugins)
  return useComputed$(() => enabled.value?.has(plugin) ?? false)
}
