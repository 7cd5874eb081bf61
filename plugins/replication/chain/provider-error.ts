/** Causes of failed provider calls, and decoding of reverts quoted in error texts. */
import { type Abi, decodeErrorResult, type Hex, isHex } from 'viem'
import type { EgressRefusalReason } from '#plugins/wallet'
import { fwssErrorsAbi } from './fwss-abi.ts'
import { payErrorsAbi } from './pay-errors-abi.ts'
import { pdpErrorsAbi } from './pdp-abi.ts'
import { errorCharactersMax } from './provider-limits.ts'

/** A contract revert quoted in the provider's error text. */
export interface ProviderRevert {
  /** Contract that defines the error; `unknown` for a revert with a text or an unknown selector. */
  readonly contract: 'fwss' | 'pay' | 'pdp' | 'unknown'
  /** `Error` for a revert with a text, which is in `args[0]`; undefined for an unknown selector. */
  readonly errorName: string | undefined
  readonly selector: Hex | undefined
  readonly args: readonly unknown[]
}

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

/** Marks before revert data that the provider's node quotes in an error text: `mark=[data]`. */
const quoteMarks = ['vm error', 'revert reason'] as const
const quotedText = /^Error\((.*)\)$/s
const contracts: readonly (readonly ['fwss' | 'pay' | 'pdp', Abi])[] = [
  ['fwss', fwssErrorsAbi],
  ['pay', payErrorsAbi],
  ['pdp', pdpErrorsAbi],
]

/** The first revert quoted in an error text; undefined if there is none. Revert data is preferred to a revert text. */
export function findRevert(text: string): ProviderRevert | undefined {
  const quoted = findQuotes(text.slice(0, errorCharactersMax))
  const data = quoted.find((content): content is Hex => isHex(content) && content.length >= 10)
  if (data !== undefined) return decodeRevertData(data)
  const revertText = quoted.map((content) => quotedText.exec(content)?.[1]).find((content) => content !== undefined)
  return revertText === undefined ? undefined : { contract: 'unknown', errorName: 'Error', selector: undefined, args: [revertText] }
}

/** The text in brackets after each mark. Linear time, because the text is untrusted. */
function findQuotes(text: string): readonly string[] {
  const quoted: string[] = []
  for (let from = 0; ; ) {
    const open = text.indexOf('=[', from)
    if (open < 0) return quoted
    from = open + 2
    if (!quoteMarks.some((mark) => text.endsWith(mark, open))) continue
    const close = text.indexOf(']', from)
    // No later quote can be terminated either.
    if (close < 0) return quoted
    quoted.push(text.slice(from, close))
    from = close
  }
}

/** `ClientDataSetAlreadyRegistered` means that the nonce is used: an earlier send of the same signed bytes has landed. */
export function provesLanding(revert: ProviderRevert): boolean {
  return revert.contract === 'fwss' && revert.errorName === 'ClientDataSetAlreadyRegistered'
}

function decodeRevertData(data: Hex): ProviderRevert {
  const selector = data.slice(0, 10) as Hex
  for (const [contract, abi] of contracts) {
    try {
      const { errorName, args } = decodeErrorResult({ abi, data })
      const isPlain = errorName === 'Error' || errorName === 'Panic'
      return { contract: isPlain ? 'unknown' : contract, errorName, selector, args: (args as readonly unknown[] | undefined) ?? [] }
    } catch {
      // Not an error of this contract: try the next.
    }
  }
  return { contract: 'unknown', errorName: undefined, selector, args: [] }
}
