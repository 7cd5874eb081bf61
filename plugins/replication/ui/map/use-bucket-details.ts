import { $, noSerialize, useStore, useTask$ } from '@builder.io/qwik'
import { call, useQuery } from '@svc/ui-kit'
import { type BucketDetail, toMapped } from './replica-map-policy.ts'

/** Uploads make the list of buckets stale several times per second; the details behind the map are read again at most this often. */
const rereadMs = 10_000

interface MapState {
  buckets: readonly BucketDetail[] | undefined
  /** Buckets of the gateway, mapped or not. */
  total: number
  error: { readonly message: string } | undefined
}

/** Details of the buckets of the map. They are read after the list of buckets, and again when that changes. */
export function useBucketDetails() {
  const list = useQuery('GET /buckets')
  const state = useStore<MapState>({ buckets: undefined, total: 0, error: undefined }, { deep: false })
  const clock = useStore({ readAtMs: 0 })
  useTask$(async ({ track, cleanup }) => {
    const { names, error } = track(() => ({ names: list.data, error: list.error, at: list.fetchedAtMs }))
    if (error) state.error = noSerialize({ message: error.message })
    if (!names) return
    const abort = new AbortController()
    cleanup(() => abort.abort())
    state.total = names.length
    await waitUntil(clock.readAtMs + rereadMs, abort.signal)
    if (abort.signal.aborted) return
    clock.readAtMs = Date.now()
    try {
      const read = (name: string) => call('GET /buckets/:name', { params: { name } }, { signal: abort.signal })
      state.buckets = noSerialize(await Promise.all(toMapped(names).map(read)))
      state.error = undefined
    } catch (failure) {
      if (!abort.signal.aborted) state.error = noSerialize({ message: (failure as Error).message })
    }
  })
  return { state, refresh: $(() => list.refresh()) }
}

const waitUntil = (endMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, endMs - Date.now()))
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
