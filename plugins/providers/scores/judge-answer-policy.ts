import type { NotSent, Uncertain } from '../client/provider-answer.ts'
import type { Call } from '../client/wrapped-client.ts'

type CallAnswer = { readonly kind: 'ok' } | { readonly kind: 'landed' } | NotSent | Uncertain

/** Causes that say nothing about the provider: the caller's own, its payment account, or a limit that the provider announced. */
const ignoredCauses: ReadonlySet<string> = new Set(['aborted', 'over_limit', 'throttled', 'unsupported', 'reverted'])
/** Calls that ask whether something exists. */
const lookUps: ReadonlySet<Call> = new Set(['creationStatus', 'additionStatus', 'terminationStatus', 'findPiece'])

/** Returns undefined when the call says nothing about the provider. */
export function judgeAnswer(call: Call, answer: CallAnswer): { readonly failure: string | undefined } | undefined {
  if (answer.kind === 'ok' || answer.kind === 'landed') return { failure: undefined }
  const { reason } = answer.cause
  if (ignoredCauses.has(reason)) return undefined
  return { failure: reason === 'not_found' && lookUps.has(call) ? undefined : reason }
}
