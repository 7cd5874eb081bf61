import type { NotSentCause } from './provider-error.ts'

const tooLargeStatus = 413
const tooLargeText = /exceeds? the|too (?:many|large)|message limit|out of gas|event value/i
/** The limit at the end of Curio's text: `piece count (41) exceeds the maximum allowed per AddPieces call (40)`. */
const namedLimit = /\((\d{1,6})\)\s*$/

/** Whether the provider, or the chain when it estimated the gas, refused a call for its number of pieces. `named`: the limit in the text. */
export function findSizeRefusal(cause: NotSentCause): { readonly named: number | undefined } | undefined {
  if (cause.reason !== 'invalid' && cause.reason !== 'reverted') return undefined
  const isTooLarge = (cause.reason === 'invalid' && cause.status === tooLargeStatus) || tooLargeText.test(cause.detail)
  if (!isTooLarge) return undefined
  const named = namedLimit.exec(cause.detail)?.[1]
  return { named: named === undefined ? undefined : Number(named) }
}
