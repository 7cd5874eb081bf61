/** Answers of GET routes, shared by all components that show them. */

import { ApiError } from './api-error.ts'
import { type AnyInput, apiPath } from './api-path.ts'
import { callUntyped } from './call.ts'

interface QueryState {
  readonly data: unknown
  /** Error of the latest attempt; data of an earlier one stays. */
  readonly error: ApiError | undefined
  readonly isFetching: boolean
  /** Time of the data, in ms. */
  readonly fetchedAtMs: number | undefined
}

type Patch = (data: unknown) => unknown

interface Entry {
  readonly route: string
  readonly input: AnyInput
  state: QueryState
  isStale: boolean
  readonly listeners: Set<(state: QueryState) => void>
  /** Aborts the running request. */
  abort: AbortController | undefined
  /** Something changed while the request runs: its answer may be older. */
  isOvertaken: boolean
  /** Changes in place while the request runs: its answer may lack them. */
  patches: Patch[]
  emptySinceMs: number
}

/** An answer without a reader is kept this long, for the way back. */
const keptMs = 5 * 60_000
const entriesMax = 200
/** An answer this young is shown without asking again. */
const freshMs = 2000
/** Events arrive in bursts. */
const coalesceMs = 250
/** Changes in place during one request; the oldest are dropped, and the answer has most of them. */
const patchesMax = 100

const entries = new Map<string, Entry>()
const nothing: QueryState = { data: undefined, error: undefined, isFetching: true, fetchedAtMs: undefined }

export const queryKey = (route: string, input: AnyInput): string => `${route} ${apiPath(route, input)}`

/** Reads the state at once and after each change. The last reader who leaves ends a running request. */
export function observeQuery(route: string, input: AnyInput, listener: (state: QueryState) => void): () => void {
  const key = queryKey(route, input)
  const entry = entries.get(key) ?? addEntry(key, route, input)
  entry.listeners.add(listener)
  listener(entry.state)
  const ageMs = Date.now() - (entry.state.fetchedAtMs ?? 0)
  if (!entry.abort && (entry.isStale || ageMs > freshMs)) void fetchEntry(entry)
  return () => {
    entry.listeners.delete(listener)
    if (entry.listeners.size > 0) return
    entry.emptySinceMs = Date.now()
    stopRequest(entry)
    sweep()
  }
}

/** Asks again, also while a request runs: its answer may be older than the change that the caller knows of. */
export async function refetch(key: string): Promise<void> {
  const entry = entries.get(key)
  if (entry) await fetchEntry(entry)
}

/** Answers of a route; with `query`, only those that were asked for with these members. */
interface StaleAnswers {
  readonly route: string
  readonly query?: Readonly<Record<string, unknown>>
}

const dirty = new Map<string, StaleAnswers>()
let isFlushPlanned = false

/** Marks answers as stale and asks again for those that are shown. Without routes: all. */
export function invalidate(routes?: readonly (string | StaleAnswers)[]): void {
  for (const stale of routes ?? [...entries.values()].map((entry) => entry.route)) {
    if (typeof stale === 'string') dirty.set(stale, { route: stale })
    else dirty.set(`${stale.route} ${JSON.stringify(stale.query)}`, stale)
  }
  if (isFlushPlanned) return
  isFlushPlanned = true
  setTimeout(flush, coalesceMs)
}

function flush(): void {
  isFlushPlanned = false
  for (const entry of entries.values()) {
    if (![...dirty.values()].some((stale) => concerns(stale, entry))) continue
    entry.isStale = true
    // A request that runs may finish: under steady events, no answer would ever arrive.
    if (entry.abort) entry.isOvertaken = true
    else if (entry.listeners.size > 0) void fetchEntry(entry)
  }
  dirty.clear()
}

const concerns = ({ route, query = {} }: StaleAnswers, entry: Entry): boolean =>
  route === entry.route && Object.entries(query).every(([member, value]) => entry.input.query?.[member] === value)

/** Changes shown answers in place, such as for the progress of an upload, until the next answer. */
export function patchQueries(route: string, patch: Patch): void {
  for (const entry of entries.values()) {
    if (entry.route !== route) continue
    if (entry.abort) entry.patches = [...entry.patches, patch].slice(-patchesMax)
    if (entry.state.data !== undefined) publish(entry, { ...entry.state, data: patch(entry.state.data) })
  }
}

/** Removes all answers, which belong to the session that ended, also those on screen. */
export function forgetAnswers(): void {
  for (const [key, entry] of entries) {
    stopRequest(entry)
    entry.isStale = true
    if (entry.listeners.size === 0) entries.delete(key)
    else publish(entry, nothing)
  }
}

/** The next reader asks again. */
function stopRequest(entry: Entry): void {
  if (!entry.abort) return
  entry.abort.abort()
  entry.abort = undefined
  entry.isStale = true
}

function addEntry(key: string, route: string, input: AnyInput): Entry {
  const entry: Entry = {
    route,
    input,
    state: nothing,
    isStale: true,
    listeners: new Set(),
    abort: undefined,
    isOvertaken: false,
    patches: [],
    emptySinceMs: 0,
  }
  entries.set(key, entry)
  return entry
}

function sweep(): void {
  const empty = [...entries].filter(([, entry]) => entry.listeners.size === 0)
  const tooMany = Math.max(0, entries.size - entriesMax)
  empty.forEach(([key, entry], at) => {
    if (at < tooMany || Date.now() - entry.emptySinceMs > keptMs) entries.delete(key)
  })
}

async function fetchEntry(entry: Entry): Promise<void> {
  entry.abort?.abort()
  const abort = new AbortController()
  Object.assign(entry, { abort, isStale: false, isOvertaken: false, patches: [] })
  if (!entry.state.isFetching) publish(entry, { ...entry.state, isFetching: true })
  let next: Partial<QueryState>
  try {
    const data = await callUntyped(entry.route, entry.input, { signal: abort.signal })
    next = { data: entry.patches.reduce((patched, patch) => patch(patched), data), error: undefined, fetchedAtMs: Date.now() }
  } catch (error) {
    next = { error: toApiError(error) }
  }
  // Stopped, or replaced by a newer request.
  if (entry.abort !== abort) return
  entry.abort = undefined
  entry.isStale = entry.isOvertaken || next.error !== undefined
  publish(entry, { ...entry.state, ...next, isFetching: false })
  if (entry.isOvertaken && entry.listeners.size > 0) await fetchEntry(entry)
}

const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(`The answer cannot be read: ${(error as Error).message}`, { status: 0, code: 'unreadable' })

function publish(entry: Entry, state: QueryState): void {
  entry.state = state
  for (const listener of entry.listeners) listener(state)
}
