/** Time and size limits of calls to providers. */

/** Limits in milliseconds unless noted. */
export interface TimeLimits {
  /** DNS, and again TCP and TLS together. The request is not sent before. */
  readonly connect: number
  /** A ping, including DNS and connection. */
  readonly ping: number
  /** Opening an upload session, including DNS and connection. Short, because another provider can take the bytes. */
  readonly session: number
  /** Status reads and lookups. */
  readonly read: number
  /** Creation, addition and removal. The provider answers when its transaction is sent, and may wait for its node for up to 5 min. */
  readonly submit: number
  /** Longest stall of an upload or a download. */
  readonly transferIdle: number
  /** Time added to the minimum-rate limit of an upload, so that a slow start is allowed. */
  readonly uploadBase: number
  /** Minimum mean rate of an upload, in bytes per second. */
  readonly uploadBytesPerSecond: number
  /** Wait for the answer to an upload, plus one second per 8 MiB: the provider hashes and stores the piece. */
  readonly uploadAnswer: number
}

export const timeLimits: TimeLimits = {
  connect: 10_000,
  ping: 8_000,
  session: 6_000,
  read: 30_000,
  submit: 120_000,
  transferIdle: 60_000,
  uploadBase: 60_000,
  // Eight concurrent uploads fit into 4 Mbit/s, and the largest piece takes at most about 4.5 h.
  uploadBytesPerSecond: 64 * 1024,
  uploadAnswer: 30_000,
}

/** Longest accepted answer body. The longest expected ones, a pull and the ids of an addition, are below 10 KiB. */
export const answerBytesMax = 256 * 1024
/** Number of characters of a provider's error text that are shown to the operator. */
export const detailCharactersMax = 500
/** Block size for reading the file and writing to the socket. */
export const transferBlockBytes = 1024 * 1024

/** A body up to this size in memory is written at once: its transfer fits into the time for the answer at any accepted rate. */
export const writtenAtOnceBytesMax = 16 * 1024

/** Pieces of a pull: a provider takes few at a time from one client. */
export const pulledPiecesMax = 40
/** Piece ids of a removal call, with those that are queued: providers remove as many in one transaction. Each is looked up on chain. */
export const removalsPerCallMax = 100
/** The same for PDPVerifier 3.4, which removes all queued pieces in one transaction. */
export const removalsAtOnceMax = 35
/** Size of the content of a piece. */
export const pieceBytesMin = 127
export const pieceBytesMax = 1_065_353_216

/** Idle connections kept per provider for unpaid calls; paid calls always open their own. */
export const idleConnectionsMax = 4
export const idleConnectionMs = 15_000
/** Wait after a 429 without Retry-After. */
export const retryAfterDefaultMs = 60_000
/** Longest wait after a 429. */
export const retryAfterMaxMs = 15 * 60_000

/** Stores that run at the same time. A provider gets at most half of the turns of each kind of call. */
export const storesAtOnceMax = 8
/** Lookups of uploaded pieces that run at the same time. */
export const lookupsAtOnceMax = 4
