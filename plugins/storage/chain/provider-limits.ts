/** Time and size limits of talking to a provider. */

/** Milliseconds, where nothing else is said. */
export interface TimeLimits {
  /** Name, TCP and TLS together; nothing has been sent until they are done. */
  readonly connect: number
  /** A ping says whether a provider answers at all: name, connection and answer together. */
  readonly ping: number
  /** The opening of an upload, likewise together: another provider can take the bytes. */
  readonly session: number
  /** Status questions and look-ups. */
  readonly read: number
  /** Creation, addition and removal: the provider answers once its transaction is sent, and may wait for its node up to 5 min. */
  readonly submit: number
  /** No byte moved in either direction during an upload or a download. */
  readonly transferIdle: number
  /** An upload may be as slow as it likes for so long; from then on its mean rate counts. */
  readonly uploadBase: number
  /** The lowest mean rate of an upload, in bytes a second. */
  readonly uploadBytesPerSecond: number
  /** After the last byte of an upload, and a second more for each 8 MiB: the provider hashes and stores it. */
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
  // Eight uploads at once fit into 4 Mbit/s, and the longest piece takes no more than about 4.5 h.
  uploadBytesPerSecond: 64 * 1024,
  uploadAnswer: 30_000,
}

/** A status answer or an error text; the longest, a pull of 40 pieces, is below 10 KiB. */
export const answerBytesMax = 256 * 1024
/** Characters of a provider's error text that are searched for a revert. */
export const errorCharactersMax = 16 * 1024
/** Characters of a provider's error text that are kept for the operator. */
export const detailCharactersMax = 500
/** Read from the file and written to the socket at a time. */
export const transferBlockBytes = 1024 * 1024

/** Pieces in one creation, addition or pull; the provider refuses more. */
export const piecesPerCallMax = 40
/** Ids in one removal call, and removals that a data set can have queued. */
export const removalsPerCallMax = 35
/** Size of a piece's content. */
export const pieceBytesMin = 127
export const pieceBytesMax = 1_065_353_216

/** Idle connections kept per provider for questions; paid calls always open their own. */
export const idleConnectionsMax = 4
export const idleConnectionMs = 15_000
/** Used when a 429 names no time. */
export const retryAfterDefaultMs = 60_000
/** No 429 makes us wait longer than this before asking again. */
export const retryAfterMaxMs = 15 * 60_000
