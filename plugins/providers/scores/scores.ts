/** Our own measurements of providers: gathered in memory, written in bulk, kept in the database. */
import type { Clock, Database, Log, Tx } from '#kernel'
import { providersMax } from '../chain/provider-registry.ts'
import type { MeasuredKind, ProviderScore } from '../contract/providers.ts'
import { addMeasures, type MeasuredCall, type Measures, measuresOf, toScore } from './measure-policy.ts'
import { keepMeasuresOf, listMeasures, type MeasuresByKind, storeMeasures } from './measures-store.ts'

/** Time from the first measurement that is not stored to its write: a stop without warning loses at most this. */
const storeAfterMs = 30_000

type PlacedProvider = { readonly providerId: string; readonly serviceUrl: string | null }

export interface Scores extends AsyncDisposable {
  /** Costs no statement. Calls to URLs that no registered provider has are forgotten. */
  record(serviceUrl: string, call: Omit<MeasuredCall, 'atMs'>): void
  /** Includes the calls that are not stored yet. */
  of(provider: PlacedProvider): ProviderScore | undefined
  /** Takes the registered providers, and the measurements of other processes. Called after each read of the registry. */
  placeAt(providers: readonly PlacedProvider[]): Promise<void>
}

interface ScoreDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
}

export async function openScores({ database, clock, log }: ScoreDeps, providers: readonly PlacedProvider[]): Promise<Scores> {
  const stop = new AbortController()
  let stored = new Map(await listMeasures(database.read))
  let idsByUrl = groupByUrl(providers)
  /** Calls that are not stored yet, by service URL. */
  let pending = new Map<string, Map<MeasuredKind, Measures>>()
  let storing: Promise<void> | undefined

  async function store(): Promise<void> {
    const taken = pending
    pending = new Map()
    const due = [...taken].flatMap(([url, byKind]) =>
      (idsByUrl.get(url) ?? []).flatMap((providerId) => [...byKind].map(([kind, measures]) => ({ providerId, kind, measures }))),
    )
    if (due.length === 0) return
    try {
      const sums = await database.write(
        async (tx: Tx) => {
          const written: (readonly [string, MeasuredKind, Measures])[] = []
          for (const { providerId, kind, measures } of due)
            written.push([providerId, kind, await storeMeasures(tx, { providerId, kind }, measures)])
          return written
        },
        { rows: due.length },
      )
      for (const [providerId, kind, sum] of sums) stored.set(providerId, new Map(stored.get(providerId)).set(kind, sum))
    } catch (error) {
      for (const [url, byKind] of taken) for (const [kind, measures] of byKind) addPending(url, kind, measures)
      log.warn('measurements of providers not written; will retry', { error })
    }
  }

  async function storeLater(): Promise<void> {
    await clock.sleep(storeAfterMs, stop.signal).catch(() => {})
    await store()
    storing = pending.size === 0 || stop.signal.aborted ? undefined : storeLater()
  }

  function addPending(url: string, kind: MeasuredKind, measures: Measures): void {
    let byKind = pending.get(url)
    if (byKind === undefined) {
      if (pending.size >= providersMax) return
      byKind = new Map()
      pending.set(url, byKind)
    }
    byKind.set(kind, addMeasures(byKind.get(kind), measures))
  }

  return {
    record(serviceUrl, call) {
      if (stop.signal.aborted) return
      addPending(serviceUrl, call.kind, measuresOf({ ...call, atMs: clock.now() }))
      storing ??= storeLater()
    },
    of({ providerId, serviceUrl }) {
      const unstored = serviceUrl === null ? undefined : pending.get(serviceUrl)
      return toScore(joined(stored.get(providerId), unstored), clock.now())
    },
    async placeAt(providers) {
      idsByUrl = groupByUrl(providers)
      await database.write((tx) => keepMeasuresOf(tx, new Set(providers.map(({ providerId }) => providerId))))
      stored = new Map(await listMeasures(database.read))
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await storing
      await store()
    },
  }
}

/** Providers may share a URL. */
function groupByUrl(providers: readonly PlacedProvider[]): ReadonlyMap<string, readonly string[]> {
  const byUrl = new Map<string, string[]>()
  for (const { providerId, serviceUrl } of providers) {
    if (serviceUrl === null) continue
    const ids = byUrl.get(serviceUrl)
    if (ids) ids.push(providerId)
    else byUrl.set(serviceUrl, [providerId])
  }
  return byUrl
}

function joined(stored: MeasuresByKind = new Map(), pending: MeasuresByKind = new Map()): MeasuresByKind {
  if (pending.size === 0) return stored
  const sums = new Map(stored)
  for (const [kind, measures] of pending) sums.set(kind, addMeasures(sums.get(kind), measures))
  return sums
}
