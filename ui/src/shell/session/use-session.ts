import { type ReadonlySignal, useComputed$ } from '@builder.io/qwik'
import { useObservable } from '../../data/observable.ts'
import { enabledPlugins, session } from '../../data/session.ts'

/** The operator who is signed in; undefined while authentication is off. */
export function useUsername(): ReadonlySignal<string | undefined> {
  const current = useObservable(session)
  return useComputed$(() => current.value?.username)
}

/** Whether a plugin runs, for links into its pages. */
export function useIsEnabled(plugin: string): ReadonlySignal<boolean> {
  const enabled = useObservable(enabledPlugins)
  return useComputed$(() => enabled.value?.has(plugin) ?? false)
}
