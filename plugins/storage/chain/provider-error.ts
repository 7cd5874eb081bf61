/** Why a provider call did not succeed: the typed causes, and the revert that an error text may carry. */
import { type Abi, decodeErrorResult, type Hex, isHex } from 'viem'
import type { EgressRefusalReason } from '#kernel'
import { fwssErrorsAbi } from './fwss-abi.ts'
import { payErrorsAbi } from './pay-errors-abi.ts'
import { pdpErrorsAbi } from './pdp-abi.ts'
import { errorCharactersMax } from './provider-limits.ts'

/** A contract's refusal, taken from the provider's error text. */
export interface ProviderRevert {
  /** Whose error it is; `unknown` for a revert with a text, or a selector that no known contract has. */
  readonly contract: 'fwss' | 'pay' | 'pdp' | 'unknown'
  /** `Error` for a revert with a text, which is then `args[0]`; undefined for an unknown selector. */
  readonly errorName: string | undefined
  readonly selector: Hex | undefined
  readonly args: readonly unknown[]
}

/** The request had no effect. `detail` is the provider's own text, shortened, for the operator's eyes only. */
export type NotSentCause =
  /** The URL may not be used (I-13). */
  | { readonly reason: 'egress_refused'; readonly refusal: EgressRefusalReason; readonly detail: string }
  /** No connection: nothing was sent. */
  | { readonly reason: 'unreachable'; readonly step: 'dns' | 'connect' | 'tls'; readonly detail: string }
  /** The caller's signal aborted before anything was sent. */
  | { readonly reason: 'aborted'; readonly detail: string }
  /** The request breaks a limit of this client; repeating it cannot help. */
  | { readonly reason: 'over_limit'; readonly detail: string }
  /** 400, 405, 410, 413, 415, 422 and other 4xx without a meaning of their own. */
  | { readonly reason: 'invalid'; readonly status: number; readonly detail: string }
  | { readonly reason: 'unauthorized'; readonly status: 401 | 403; readonly detail: string }
  /** 429: ask again after `retryAfterMs` from now. */
  | { readonly reason: 'throttled'; readonly retryAfterMs: number; readonly detail: string }
  /** 404 or 409 on a data set: the provider does not have it, or will not write to it. On an addition the uploaded bytes are discarded. */
  | { readonly reason: 'data_set_gone'; readonly status: 404 | 409; readonly detail: string }
  /** 404 on anything else that was named: a piece id, an upload, a transaction. */
  | { readonly reason: 'not_found'; readonly detail: string }
  /** 503 on a termination: this provider cannot relay one. */
  | { readonly reason: 'unsupported'; readonly detail: string }
  | { readonly reason: 'reverted'; readonly revert: ProviderRevert; readonly detail: string }

/** The request may have had its effect; only the chain, or the same question again, can tell. */
export type UncertainCause =
  /** No complete answer in time. */
  | { readonly reason: 'timeout'; readonly detail: string }
  /** The connection broke after the request began. */
  | { readonly reason: 'connection_lost'; readonly detail: string }
  /** The caller's signal aborted after the request began. */
  | { readonly reason: 'aborted'; readonly detail: string }
  /** 5xx, 408, a redirect, or an error of the provider's chain node under any status, without a decodable revert. */
  | { readonly reason: 'server_error'; readonly status: number; readonly detail: string }
  /** A success that cannot be read: wrong JSON, no hash, too long. */
  | { readonly reason: 'unreadable_answer'; readonly status: number; readonly detail: string }

/** How the provider's node quotes revert data inside an error text; part of its interface. */
const quoteMarks = ['vm error', 'revert reason'] as const
const quotedText = /^Error\((.*)\)$/s
const contracts: readonly (readonly ['fwss' | 'pay' | 'pdp', Abi])[] = [
  ['fwss', fwssErrorsAbi],
  ['pay', payErrorsAbi],
  ['pdp', pdpErrorsAbi],
]

/** The first revert that an error text quotes; undefined when it quotes none. Data is preferred to text. */
export function findRevert(text: string): ProviderRevert | undefined {
  const quoted = findQuotes(text.slice(0, errorCharactersMax))
  const data = quoted.find((content): content is Hex => isHex(content) && content.length >= 10)
  if (data !== undefined) return decodeRevertData(data)
  const said = quoted.map((content) => quotedText.exec(content)?.[1]).find((content) => content !== undefined)
  return said === undefined ? undefined : { contract: 'unknown', errorName: 'Error', selector: undefined, args: [said] }
}

/** What stands in brackets after each mark. One pass over the text: a provider chooses it. */
function findQuotes(text: string): readonly string[] {
  const quoted: string[] = []
  for (let from = 0; ; ) {
    const open = text.indexOf('=[', from)
    if (open < 0) return quoted
    from = open + 2
    if (!quoteMarks.some((mark) => text.endsWith(mark, open))) continue
    const close = text.indexOf(']', from)
    // Where this quote has no end, no later one has.
    if (close < 0) return quoted
    quoted.push(text.slice(from, close))
    from = close
  }
}

/** `ClientDataSetAlreadyRegistered` refuses a nonce that is used: an earlier send of the same bytes has landed. */
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
      // Not an error of this contract: the next one may know the selector.
    }
  }
  return { contract: 'unknown', errorName: undefined, selector, args: [] }
}
