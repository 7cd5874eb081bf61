import { createContextId, type ReadonlySignal, useComputed$, useContext } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { address } from './location.ts'

interface PageRoute {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
}

/** The page that is shown; provided by the outlet. */
export const PageContext = createContextId<PageRoute>('svc.page')

/** A parameter of the path of the page, such as `name` of `/buckets/:name`. It never changes while the page is shown. */
export const useParam = (name: string): string => useContext(PageContext).params[name] ?? ''

/** A member of the query; empty when absent. Change it with `setSearch`. */
export function useSearchParam(name: string): ReadonlySignal<string> {
  const current = useObservable(address)
  return useComputed$(() => new URLSearchParams(current.value.split('?')[1] ?? '').get(name) ?? '')
}

/** Path and query of the page. */
export const useAddress = (): ReadonlySignal<string> => useObservable(address)
