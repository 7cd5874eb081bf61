// How a simulated provider behaves when nothing is wrong, and what it counts.
import { type RouteName, routeNames } from '../faults.ts'

const HOUR_MS = 3_600_000

/** May be changed while the provider runs; read at every use. */
export interface ProviderSettings {
  /** An uploaded piece is not found for so long, as Curio moves it to long-term storage first. */
  parkDelayMs: number
  /** A mined transaction counts as unprocessed for so long. */
  unprocessedMs: number
  /** Blocks on top of a transaction before it counts as confirmed. */
  confidenceBlocks: number
  /** A pending transaction unknown to the node for so long has failed. */
  lostAfterMs: number
  /** A stored piece that no data set took is deleted after so long. */
  unclaimedKeepMs: number
  /** An upload that was not finalised is dropped after so long. */
  uploadKeepMs: number
  /** Waits before the second and third attempt to pull a piece. */
  pullRetryMs: readonly number[]
  /** Pieces being pulled at once, over all requests. */
  pullPiecesMax: number
  /** Adding to unknown data sets five times a minute closes the PDP routes for so long. */
  offenceBlockMs: number
  /** Proving periods after its end that a terminated data set is still kept. */
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
    offenceBlockMs: 300_000,
    keepEndedPeriods: 1,
  }
}

/** Since this process started. */
export interface ProviderCounters {
  readonly requests: Record<RouteName, number>
  /** Broadcast transactions, whatever became of them. */
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
