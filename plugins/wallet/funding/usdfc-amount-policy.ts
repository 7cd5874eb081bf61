/** Parses and formats USDFC amounts. Base units are 10^-18 USDFC. */

const fractionDigits = 18
const displayUnit = 10n ** 12n
const amountPattern = /^\d{1,58}(?:\.(\d+))?$/

type AmountVerdict = { readonly isValid: true; readonly baseUnits: bigint } | { readonly isValid: false; readonly reason: string }

/** Accepts `12` or `0.5`: more than 0, at most 18 decimals, no sign, no exponent, no grouping. */
export function parseUsdfc(text: string): AmountVerdict {
  const [, fraction = ''] = amountPattern.exec(text) ?? []
  if (!amountPattern.test(text)) return invalid('must be a decimal number of USDFC such as 5 or 0.25')
  if (fraction.length > fractionDigits) return invalid(`must have at most ${fractionDigits} decimals`)
  const [whole = ''] = text.split('.', 1)
  const baseUnits = BigInt(whole + fraction.padEnd(fractionDigits, '0'))
  return baseUnits > 0n ? { isValid: true, baseUnits } : invalid('must be more than 0')
}

/** Exact, without trailing zeros: `0.25`. */
export function formatUsdfc(baseUnits: bigint): string {
  const digits = baseUnits.toString().padStart(fractionDigits + 1, '0')
  let end = digits.length
  while (end > digits.length - fractionDigits && digits[end - 1] === '0') end -= 1
  const fraction = digits.slice(digits.length - fractionDigits, end)
  return `${digits.slice(0, -fractionDigits)}${fraction && '.'}${fraction}`
}

/** Rounds to at most six decimals, so that an amount to deposit is short to type and suffices. */
export const roundUpUsdfc = (baseUnits: bigint): bigint => ((baseUnits + displayUnit - 1n) / displayUnit) * displayUnit

const invalid = (reason: string): AmountVerdict => ({ isValid: false, reason })
