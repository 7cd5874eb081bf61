/** Classifies an HTTP exchange with a provider for the caller: effective, without effect, or uncertain. */
import { type Type, type } from '#kernel/schema'
import { findRevert, provesLanding } from '../chain/quoted-revert.ts'
import type { NotSentCause, UncertainCause } from './provider-error.ts'
import { detailCharactersMax, retryAfterDefaultMs, retryAfterMaxMs } from './provider-limits.ts'

export interface NotSent {
  readonly kind: 'not_sent'
  readonly cause: NotSentCause
}

export interface Uncertain {
  readonly kind: 'uncertain'
  readonly cause: UncertainCause
}

/**
 * `not_sent`: no effect, now or later. `uncertain`: may have had an effect; for a read: no answer, retry.
 */
export type ProviderAnswer<T> = { readonly kind: 'ok'; readonly value: T } | NotSent | Uncertain

/** Answer to a creation, addition or pull. `landed`: the nonce is already used, so the same signed bytes took effect earlier. */
export type SubmissionAnswer<T> = ProviderAnswer<T> | { readonly kind: 'landed' }

/** How to interpret the error statuses of a particular call. */
export interface CallMeaning {
  /** 404 and 409 refer to the data set. */
  readonly onDataSet?: boolean
  /** Statuses that mean that the provider does not support the call. */
  readonly unsupportedOn?: readonly number[]
}

/** A complete HTTP response with any status. */
export interface Answered {
  readonly kind: 'answered'
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** Result of one request: answered, or failed before (`not_sent`) or after (`uncertain`) it could have had an effect. */
export type Exchange = Answered | NotSent | Uncertain

/** Converts a failed exchange, or a response with an unexpected status, to the caller's answer. */
export function failureOf(exchange: Exchange, meaning: CallMeaning = {}): NotSent | Uncertain | { readonly kind: 'landed' } {
  if (exchange.kind !== 'answered') return exchange
  const { status, body } = exchange
  const detail = shorten(body)
  const revert = status >= 400 ? findRevert(body) : undefined
  if (revert !== undefined && provesLanding(revert)) return { kind: 'landed' }
  // An unknown selector does not tell which transaction failed. Only a known error name proves a refusal.
  if (revert?.errorName !== undefined) return notSent({ reason: 'reverted', revert, detail })
  if (meaning.unsupportedOn?.includes(status)) return notSent({ reason: 'unsupported', detail })
  if (status === 408 || status < 400 || status >= 500 || (status !== 429 && isNodeError(body)))
    return uncertain({ reason: 'server_error', status, detail })
  return notSent(refusalOf(exchange, meaning, detail))
}

/** Whether the body quotes an error of the provider's chain node. Without a known revert the outcome is uncertain. */
const isNodeError = (body: string): boolean => body.startsWith('chain: ') || body.includes(': chain: ')

function refusalOf({ status, headers }: Answered, meaning: CallMeaning, detail: string): NotSentCause {
  if (status === 401 || status === 403) return { reason: 'unauthorized', status, detail }
  if (status === 429) return { reason: 'throttled', retryAfterMs: retryAfterMs(headers['retry-after']), detail }
  if ((status === 404 || status === 409) && meaning.onDataSet) return { reason: 'data_set_gone', status, detail }
  if (status === 404) return { reason: 'not_found', detail }
  return { reason: 'invalid', status, detail }
}

/** Judges as failureOf, for calls without a nonce: they cannot be `landed`. */
export function plainFailureOf(exchange: Exchange, meaning: CallMeaning = {}): NotSent | Uncertain {
  const failure = failureOf(exchange, meaning)
  if (failure.kind !== 'landed') return failure
  const status = exchange.kind === 'answered' ? exchange.status : 0
  return uncertain({ reason: 'unreadable_answer', status, detail: 'a used nonce was reported for a call without one' })
}

/** Parses a JSON body and checks its shape; otherwise `unreadable_answer`. */
export function readJson<const shape extends Type>(answer: Answered, shape: shape): ProviderAnswer<shape['infer']> {
  let content: unknown
  try {
    content = JSON.parse(answer.body)
  } catch {
    // The detail contains the body, which is more useful than the parser's message.
    return unreadable(answer, `not JSON: ${answer.body}`)
  }
  const checked = shape(content)
  return checked instanceof type.errors ? unreadable(answer, checked.summary) : ok(checked as shape['infer'])
}

const transactionHash = /\/(0x[0-9a-f]{64})\/?$/i
const uploadId = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i

/** The transaction hash at the end of a Location header. The rest of the URL is ignored: redirects are not followed. */
export function hashInLocation(answer: Answered): ProviderAnswer<`0x${string}`> {
  const hash = transactionHash.exec(String(answer.headers.location))?.[1]?.toLowerCase()
  return hash === undefined ? unreadable(answer, 'no transaction hash in Location') : ok(hash as `0x${string}`)
}

/** The upload session at the end of a Location header. */
export function uploadIdInLocation(answer: Answered): ProviderAnswer<string> {
  const id = uploadId.exec(String(answer.headers.location))?.[1]?.toLowerCase()
  return id === undefined ? unreadable(answer, 'no upload id in Location') : ok(id)
}

export function ok<T>(value: T): { readonly kind: 'ok'; readonly value: T } {
  return { kind: 'ok', value }
}

export function notSent(cause: NotSentCause): NotSent {
  return { kind: 'not_sent', cause }
}

export function uncertain(cause: UncertainCause): Uncertain {
  return { kind: 'uncertain', cause }
}

export function unreadable(answer: Pick<Answered, 'status'>, detail: string): Uncertain {
  return uncertain({ reason: 'unreadable_answer', status: answer.status, detail: shorten(detail) })
}

/** Limits a provider's text to one line of bounded length, for logs and for the operator. */
export function shorten(text: string): string {
  return text
    .slice(0, detailCharactersMax * 2)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, detailCharactersMax)
}

/** Milliseconds to wait from a Retry-After header in seconds or as a date, between 1 s and the maximum. */
function retryAfterMs(header: string | readonly string[] | undefined, now = Date.now()): number {
  const text = String(header ?? '').trim()
  const requested = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  if (!Number.isFinite(requested)) return retryAfterDefaultMs
  return Math.min(Math.max(requested, 1000), retryAfterMaxMs)
}
