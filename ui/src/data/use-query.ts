import { $, noSerialize, type QRL, useStore, useTask$ } from '@builder.io/qwik'
import type { ApiError } from './api-error.ts'
import type { AnyInput } from './api-path.ts'
import { observeQuery, queryKey, refetch } from './cache.ts'
import type { Answer, Input, Route } from './endpoints.ts'
import { isLive } from './events.ts'
import { hold } from './observable.ts'

export interface Query<T> {
  /** Is undefined until the first answer; an earlier answer stays while a later request fails. */
  readonly data: T | undefined
  readonly error: ApiError | undefined
  readonly isFetching: boolean
  readonly fetchedAtMs: number | undefined
  /** For buttons: `onClick$={query.refresh}`. */
  readonly refresh: QRL<() => Promise<void>>
}

interface QueryOptions {
  /** Asks again this often while the page is visible and no event stream runs. Default 15 s; with one, each minute. */
  readonly pollMs?: number
}

/** Safety net for lost events. */
const livePollMs = 60_000
const pollMs = 15_000

/**
 * Shows the answer of a GET route, and asks again when an event of `eventTopics` concerns it. Signals and props that `input` reads are
 * tracked; while it returns null, nothing is asked.
 */
export function useQuery<R extends Route>(
  route: R,
  input: () => Input<R> | null = () => ({}) as Input<R>,
  options: QueryOptions = {},
): Query<Answer<R>> {
  const state = useStore(
    {
      key: '',
      data: undefined as Answer<R> | undefined,
      error: undefined as ApiError | undefined,
      isFetching: true,
      fetchedAtMs: undefined as number | undefined,
    },
    { deep: false },
  )
  const source = noSerialize({ input, options })
  useTask$(({ track, cleanup }) => {
    if (!source) return
    const wanted = track(source.input) as AnyInput | null
    if (wanted === null) return
    const key = queryKey(route, wanted)
    if (state.key !== key) {
      // The rows of another page of the list would be shown under the new heading.
      Object.assign(state, { key, data: undefined, error: undefined, isFetching: true, fetchedAtMs: undefined })
    }
    cleanup(
      observeQuery(route, wanted, ({ data, error, isFetching, fetchedAtMs }) => {
        Object.assign(state, { data: hold(data), error: hold(error), isFetching, fetchedAtMs })
      }),
    )
    cleanup(poll(key, source.options.pollMs ?? pollMs))
  })
  return Object.assign(state, { refresh: $(() => refetch(state.key)) })
}

function poll(key: string, everyMs: number): () => void {
  let lastMs = Date.now()
  const timer = setInterval(() => {
    const waitMs = isLive.value === 'live' ? Math.max(everyMs, livePollMs) : everyMs
    if (document.visibilityState !== 'visible' || Date.now() - lastMs < waitMs) return
    lastMs = Date.now()
    void refetch(key)
  }, 1000)
  return () => clearInterval(timer)
}
