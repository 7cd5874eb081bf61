// Delays and limits of a simulated provider without faults, and its counters.
import { type RouteName, routeNames } from '../faults.ts'

const HOUR_MS = 3_600_000

/** Can be changed while the provider runs; read at each use. */
export interface ProviderSettings {
  /** Time until an uploaded piece is found; Curio moves it to long-term storage first. */
  parkDelayMs: number
  /** Time until a mined transaction is processed. */
  unprocessedMs: number
  /** Blocks on top of a transaction before it counts as confirmed. */
  confidenceBlocks: number
  /** Time after which a pending transaction that the node does not know has failed. */
  lostAfterMs: number
  /** Time until an unclaimed piece is deleted. */
  unclaimedKeepMs: number
  /** Time until an upload that was not finalised is deleted. */
  uploadKeepMs: number
  /** Waits before the second and third attempt to pull a piece. */
  pullRetryMs: readonly number[]
  /** Limit for pieces in open pulls, of all requests. */
  pullPiecesMax: number
  /** Curio's own limits until September 2026; null: none. */
  piecesPerAddition: number | null
  piecesPerRemoval: number | null
  /** How long PDP requests are refused after five additions to unknown data sets within a minute. */
  offenceBlockMs: number
  /** Proving periods between the end of a terminated data set and its deletion. */
  keepEndedPeriods: number
}

export function defaultSettings(): ProviderSettings {
  return {
    parkDelayMs: 150,
    unprocessedMs: 150,
    confidenceBlocks: 0,
    lostAfterMs: 10_000,
    unclaimedKeepMs: 2 * HOUR_MS,
    uploadKeepMs: HOUR_MS,
    pullRetryMs: [500, 2000],
    pullPiecesMax: 120,
    piecesPerAddition: null,
    piecesPerRemoval: null,
    offenceBlockMs: 300_000,
    keepEndedPeriods: 1,
  }
}

/** Counts since the start of this process. */
export interface ProviderCounters {
  readonly requests: Record<RouteName, number>
  /** Broadcast transactions, with any outcome. */
  createTransactions: number
  addPiecesTransactions: number
  removalTransactions: number
  terminationTransactions: number
  provingTransactions: number
  uploadBytes: number
  retrievalBytes: number
  pulledBytes: number
  pullsStarted: number
}

export function createCounters(): ProviderCounters {
  const zeros = Object.fromEntries(routeNames.map((name) => [name, 0])) as Record<RouteName, number>
  return {
    requests: zeros,
    createTransactions: 0,
    addPiecesTransactions: 0,
    removalTransactions: 0,
    terminationTransactions: 0,
    provingTransactions: 0,
    uploadBytes: 0,
    retrievalBytes: 0,
    pulledBytes: 0,
    pullsStarted: 0,
  }
}
