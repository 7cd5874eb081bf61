/** What is wrong with a data set, and whether it lasts long enough for a repair. */
import type { StoredProvider } from '#plugins/providers'
import type { DataSetFacts } from '#plugins/replication'

/**
 * data_set_lost: not live on chain · service_ended: ended by someone else · proving_missed: its proofs are missing · provider_down: its provider
 * does not answer · copies_denied: checks of its pieces failed.
 */
export const repairSignals = ['data_set_lost', 'service_ended', 'proving_missed', 'provider_down', 'copies_denied'] as const
export type RepairSignal = (typeof repairSignals)[number]

/** `unknown` neither continues a signal nor ends it. */
type Observation = RepairSignal | 'fine' | 'unknown'

/** Part of the copies of a data set whose denial is a fault of its provider; single pieces are stored again on the same data set. */
const deniedShareMin = 0.1

interface Look {
  readonly nowMs: number
  /** A ping that is older says nothing. */
  readonly pingKeptMs: number
  readonly providers: readonly StoredProvider[]
}

export function observe(dataSet: DataSetFacts, look: Look): Observation {
  const { status, denied, missingCopies, wrongCopies, committedCopies } = dataSet
  if (status === 'unavailable') return 'data_set_lost'
  if (status === 'draining' || denied?.reason === 'service_ended') return 'service_ended'
  if (status !== 'ready') return 'fine'
  if (denied) return denied.reason === 'not_on_chain' ? 'data_set_lost' : 'proving_missed'
  const ping = observePing(dataSet.providerId, look)
  if (ping === 'provider_down') return ping
  if (missingCopies + wrongCopies > committedCopies * deniedShareMin) return 'copies_denied'
  return ping
}

/** A provider is down only while another one answers: else our own network may be down. */
function observePing(providerId: string, { nowMs, pingKeptMs, providers }: Look): 'provider_down' | 'fine' | 'unknown' {
  const isRecent = ({ pingedAtMs }: StoredProvider) => pingedAtMs !== null && nowMs - pingedAtMs <= pingKeptMs
  const own = providers.find((provider) => provider.providerId === providerId)
  if (!own || !isRecent(own)) return 'unknown'
  if (own.pingFailure === null) return 'fine'
  return providers.some((other) => other !== own && isRecent(other) && other.pingFailure === null) ? 'provider_down' : 'unknown'
}

/** What the table of states has decided needs no further time. */
export const isCertain = (signal: RepairSignal, { status }: Pick<DataSetFacts, 'status'>): boolean =>
  (signal === 'data_set_lost' && status === 'unavailable') || (signal === 'service_ended' && status === 'draining')

/** A longer time without rounds ends a signal, because nothing was observed in it. */
const gapMsMax = 60 * 60_000

interface Stored {
  readonly signal: RepairSignal
  readonly sinceMs: number
  readonly seenAtMs: number
}

/** Since when the signal was seen without an interruption. Another signal of the same data set continues it, because the data set was not fine. */
export const sinceOf = (stored: Stored | undefined, nowMs: number): number =>
  stored === undefined || nowMs - stored.seenAtMs > gapMsMax ? nowMs : stored.sinceMs

/** A fault that ended by itself and lasted at least this long is in the list of decisions. */
export const notedMsMin = 60 * 60_000
