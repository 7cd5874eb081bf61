import { $, noSerialize, useSignal, useStore, useTask$ } from '@builder.io/qwik'
import { call, useQuery } from '@svc/ui-kit'
import { createPacedReader, type PacedReader } from './paced-reader.ts'
import { type BucketDetail, toMapped } from './replica-map-policy.ts'

/** Uploads make the list of buckets stale several times per second; the details behind the map are read again after this pause. */
const rereadMs = 10_000

interface MapState {
  buckets: readonly BucketDetail[] | undefined
  error: { readonly message: string } | undefined
}

/** Details of the buckets of the map. They are read after the list of buckets, and again when that changes. */
export function useBucketDetails() {
  const list = useQuery('GET /buckets')
  const state = useStore<MapState>({ buckets: undefined, error: undefined }, { deep: false })
  const reader = useSignal<PacedReader>()
  // No task may await: Qwik draws nothing until every task has ended.
  useTask$(({ cleanup }) => {
    const created = createPacedReader(rereadMs, async (signal) => {
      const read = (name: string) => call('GET /buckets/:name', { params: { name } }, { signal })
      try {
        const buckets = await Promise.all(toMapped(list.data ?? []).map(read))
        if (!signal.aborted) Object.assign(state, { buckets: noSerialize(buckets), error: undefined })
      } catch (failure) {
        if (!signal.aborted) state.error = noSerialize({ message: (failure as Error).message })
      }
    })
    reader.value = noSerialize(created)
    cleanup(created.stop)
  })
  useTask$(({ track }) => {
    const { names } = track(() => ({ names: list.data, at: list.fetchedAtMs }))
    if (names) reader.value?.notify()
  })
  return { list, state, refresh: $(() => list.refresh()) }
}
