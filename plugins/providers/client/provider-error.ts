/** Causes of failed provider calls. */
import type { EgressRefusalReason } from '#plugins/wallet'
import type { ProviderRevert } from '../chain/quoted-revert.ts'

/** The request had no effect. `detail` is the provider's text, shortened; show it only to operators. */
export type NotSentCause =
  /** The egress guard refused the URL (I-13). */
  | { readonly reason: 'egress_refused'; readonly refusal: EgressRefusalReason; readonly detail: string }
  /** No connection could be opened. */
  | { readonly reason: 'unreachable'; readonly step: 'dns' | 'connect' | 'tls'; readonly detail: string }
  /** The caller's signal aborted before anything was sent. */
  | { readonly reason: 'aborted'; readonly detail: string }
  /** The request exceeds a limit of this client; do not retry it. */
  | { readonly reason: 'over_limit'; readonly detail: string }
  /** 400, 405, 410, 413, 415, 422 and all other 4xx not listed here. */
  | { readonly reason: 'invalid'; readonly status: number; readonly detail: string }
  | { readonly reason: 'unauthorized'; readonly status: 401 | 403; readonly detail: string }
  /** 429: retry after `retryAfterMs`. */
  | { readonly reason: 'throttled'; readonly retryAfterMs: number; readonly detail: string }
  /** 404 or 409 on a data set: the provider does not have it or refuses writes to it. After an addition it discards the uploaded bytes. */
  | { readonly reason: 'data_set_gone'; readonly status: 404 | 409; readonly detail: string }
  /** 404 on another resource: a piece id, an upload, a transaction. */
  | { readonly reason: 'not_found'; readonly detail: string }
  /** 503 on a termination: this provider cannot relay one. 404, 405 or 501 on an upload session: this provider has none that are named at the end. */
  | { readonly reason: 'unsupported'; readonly detail: string }
  | { readonly reason: 'reverted'; readonly revert: ProviderRevert; readonly detail: string }

/** The request may have had an effect. Look it up on chain, or repeat it if it is a read. */
export type UncertainCause =
  /** No complete answer before the deadline. */
  | { readonly reason: 'timeout'; readonly detail: string }
  /** The connection broke after the request began. */
  | { readonly reason: 'connection_lost'; readonly detail: string }
  /** The caller's signal aborted after the request began. */
  | { readonly reason: 'aborted'; readonly detail: string }
  /** 5xx, 408, a redirect, or an error of the provider's chain node under any status, without a decodable revert. */
  | { readonly reason: 'server_error'; readonly status: number; readonly detail: string }
  /** A success status with an unusable answer: invalid JSON, no hash, too long. */
  | { readonly reason: 'unreadable_answer'; readonly status: number; readonly detail: string }
