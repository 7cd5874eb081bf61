/** Amounts of USDFC that an operator types. Pure; base units are 10^-18. */
const decimals = 18
const unit = 10n ** BigInt(decimals)

interface ReadAmount {
  /** Is undefined when it cannot be sent. */
  readonly amount: bigint | undefined
  /** Is undefined also before anything was typed. */
  readonly problem: string | undefined
}

interface AmountLimit {
  readonly max: bigint
  /** Where that is: `in the wallet`. */
  readonly place: string
}

/** Reads `12.5`. `limit`: undefined while it is not known. */
export function readAmount(text: string, limit: AmountLimit | undefined): ReadAmount {
  const digits = text.trim()
  if (digits === '') return { amount: undefined, problem: undefined }
  const match = /^(\d{1,60})(?:\.(\d{0,18}))?$/.exec(digits)
  if (!match) return bad(/^\d+\.\d{19,}$/.test(digits) ? 'USDFC has 18 decimals at most.' : 'Type an amount such as 12.5.')
  const amount = BigInt(match[1] ?? '0') * unit + BigInt((match[2] ?? '').padEnd(decimals, '0'))
  if (amount === 0n) return bad('Type an amount above 0.')
  if (limit !== undefined && amount > limit.max) return bad(`Only ${writeAmount(limit.max)} USDFC are ${limit.place}.`)
  return { amount, problem: undefined }
}

const bad = (problem: string): ReadAmount => ({ amount: undefined, problem })

/** The exact amount without separators, as it is typed. */
export function writeAmount(amount: bigint): string {
  const fraction = (amount % unit).toString().padStart(decimals, '0')
  let end = decimals
  while (end > 0 && fraction[end - 1] === '0') end -= 1
  return `${amount / unit}${end === 0 ? '' : `.${fraction.slice(0, end)}`}`
}
