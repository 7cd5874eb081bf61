/** The event stream of the Admin API: one per visible tab. */
import { invalidate } from './cache.ts'
import { Observable } from './observable.ts'

type LiveState = 'live' | 'connecting' | 'off'
export const isLive = new Observable<LiveState>('off')
/** The number of streams after the first one: the service may have started again between two of them. */
export const reconnects = new Observable(0)

type Payload = Readonly<Record<string, unknown>>
type Listener = (payload: Payload) => void

const listeners = new Map<string, Set<Listener>>()
/** Routes whose answers an event makes stale; with `by`, those whose query has the same value of this member as the event. */
export type StaleRoute = string | { readonly route: string; readonly by: string }

const staleRoutes = new Map<string, Set<StaleRoute>>()
let source: EventSource | undefined
let isWanted = false
let retryTimer: ReturnType<typeof setTimeout> | undefined
let failures = 0
let wasLive = false

const retryMs = { first: 1000, longest: 15_000 } as const

/** Connects the `eventTopics` of a plugin. */
export function connectTopics(topics: Readonly<Record<string, readonly StaleRoute[]>>): void {
  for (const [topic, routes] of Object.entries(topics)) {
    const known = staleRoutes.get(topic) ?? new Set<StaleRoute>()
    for (const route of routes) known.add(route)
    staleRoutes.set(topic, known)
    listenTo(topic)
  }
}

/** Calls the listener for each event of the topic; returns the function that ends this. */
export function onEvent(topic: string, listener: Listener): () => void {
  const set = listeners.get(topic) ?? new Set()
  listeners.set(topic, set.add(listener))
  listenTo(topic)
  return () => void set.delete(listener)
}

/** Keeps the stream open while the tab is visible: browsers allow six connections to a server. */
export function startEvents(): void {
  if (isWanted) return
  isWanted = true
  document.addEventListener('visibilitychange', follow)
  follow()
}

export function stopEvents(): void {
  isWanted = false
  document.removeEventListener('visibilitychange', follow)
  close()
}

function follow(): void {
  if (document.visibilityState === 'visible') open()
  else close()
}

function open(): void {
  if (source || !isWanted) return
  clearTimeout(retryTimer)
  isLive.value = 'connecting'
  source = new EventSource('/api/v1/events')
  source.addEventListener('open', () => {
    failures = 0
    isLive.value = 'live'
    // Events between two connections are lost. Before the first one, the pages have just asked.
    if (wasLive) {
      invalidate()
      reconnects.value += 1
    }
    wasLive = true
  })
  // The browser's own retries end at the first refusal, such as by a proxy while the service restarts.
  source.addEventListener('error', () => {
    close()
    if (!isWanted || document.visibilityState !== 'visible') return
    isLive.value = 'connecting'
    failures += 1
    retryTimer = setTimeout(open, Math.min(retryMs.longest, retryMs.first * 2 ** (failures - 1)))
  })
  for (const topic of new Set([...listeners.keys(), ...staleRoutes.keys()])) source.addEventListener(topic, receive)
}

function close(): void {
  clearTimeout(retryTimer)
  source?.close()
  source = undefined
  isLive.value = 'off'
}

// The same listener is added once per topic, also when this runs again.
const listenTo = (topic: string): void => source?.addEventListener(topic, receive)

function receive({ type, data }: MessageEvent<string>): void {
  const payload = JSON.parse(data) as Payload
  const routes = staleRoutes.get(type)
  if (routes) {
    invalidate(
      [...routes].map((stale) => (typeof stale === 'string' ? stale : { route: stale.route, query: { [stale.by]: payload[stale.by] } })),
    )
  }
  for (const listener of listeners.get(type) ?? []) listener(payload)
}
