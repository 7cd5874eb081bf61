/** What other pages and monitoring systems show of the health of data sets. */
import { clock, defineMetric, optional } from '#kernel'
import { defineOverviewPart, defineVersionHealthPart, type ObservedHealth } from '#plugins/admin'
import { observabilitySection } from '#plugins/providers'
import { isStale, toPage } from '../health/health-policy.ts'
import { type DataSetObservers, dataSetObservers, type ObservedFacts } from './data-set-observer.ts'
import { toRow } from './describe-data-set.ts'
import { judgeObservation } from './judge-data-set-policy.ts'

const uses = { observers: dataSetObservers, settings: optional(observabilitySection.settings), clock } as const

/** The health of buckets, of their data sets, and of the versions on them. */
export const dataSetHealthPart = defineVersionHealthPart({
  name: 'data-sets',
  uses,
  async observe({ observers: { found: observers }, settings, clock }, dataSets, staleBeforeMs) {
    if (!observers || !settings || dataSets.length === 0) return new Map()
    const asked = new Set(dataSets.map(({ id }) => id))
    const bucketIds = new Set(dataSets.map(({ bucketId }) => bucketId))
    const [bucketId] = bucketIds
    const rows = await observers.list(bucketIds.size === 1 && bucketId !== undefined ? { bucketId } : {})
    const stale = (checkedAtMs: number) =>
      staleBeforeMs === undefined
        ? isStale(checkedAtMs, { nowMs: clock.now(), intervalMs: settings.interval })
        : checkedAtMs < staleBeforeMs
    return new Map(rows.filter(({ facts }) => asked.has(facts.id)).flatMap((row) => toHealth(row, stale)))
  },
})

/** A data set that was not looked at has no observation. */
function toHealth({ facts, observation }: ObservedFacts, stale: (checkedAtMs: number) => boolean): readonly [number, ObservedHealth][] {
  if (observation === undefined) return []
  const { status, reasonCodes, lastError } = judgeObservation(facts, observation)
  const { checkedAtMs, pieceCount, hasPieces } = observation
  const health: ObservedHealth = {
    status,
    reasonCodes,
    isStale: stale(checkedAtMs),
    checkedAtMs,
    ...(lastError === undefined ? {} : { lastError }),
    ...(pieceCount === null ? {} : { activePieceCount: pieceCount }),
    ...(observation.chainState === null ? {} : { hasActivePieces: hasPieces }),
  }
  return [[facts.id, health]]
}

async function summarise(observers: DataSetObservers, time: { readonly nowMs: number; readonly intervalMs: number }) {
  const [rows, round] = await Promise.all([observers.list({}), observers.lastRound()])
  const shown = rows.map((row) => toRow(row, { round, epochs: undefined }))
  return toPage(shown, { limit: 1 }, { ...time, emptyCheckedAtMs: round?.finishedAtMs ?? null })
}

export const dataSetOverviewPart = defineOverviewPart({
  name: 'data-sets',
  into: 'chain_storage_health',
  uses,
  async summarise({ observers: { found: observers }, settings, clock }) {
    if (!observers || !settings) return {}
    const { summary, summary_signal } = await summarise(observers, { nowMs: clock.now(), intervalMs: settings.interval })
    return summary.total === 0 ? {} : { data_sets: { summary, summary_signal }, level: summary_signal.level }
  },
})

/** Every status has a sample, also at zero. */
export const dataSetHealthMetric = defineMetric({
  name: 'svc_data_set_health',
  help: 'Data sets by their health at the last check.',
  type: 'gauge',
  labels: ['status'],
  uses,
  async collect({ observers: { found: observers }, settings, clock }) {
    if (!observers || !settings) return []
    const { summary } = await summarise(observers, { nowMs: clock.now(), intervalMs: settings.interval })
    return (['available', 'degraded', 'unavailable', 'unknown'] as const).map((status) => ({ labels: { status }, value: summary[status] }))
  },
})
