/** Token amounts: decimal digits of base units. BigInt throughout: a float would lose digits. */
import { absent, type Numeric, toInteger } from './absent.ts'
import { formatExactCount } from './counts.ts'

interface MoneyOptions {
  /** Decimals of the token: 18 for USDFC and the native gas token. */
  readonly decimals?: number | undefined
  /** Most fraction digits shown; the rest is cut off, so an amount is never shown as more than it is. */
  readonly digits?: number | undefined
  /** Rounds up instead: a price is never shown as less than it is. */
  readonly up?: boolean | undefined
}

const defaultDecimals = 18
const defaultDigits = 4

/** `1,234.5678`; `< 0.0001` for less than the last shown digit. */
export function formatMoney(amount: Numeric | null | undefined, options: MoneyOptions = {}): string {
  const units = toInteger(amount)
  if (units === undefined) return absent
  if (units < 0n) return `-${formatMoney(-units, options)}`
  const { decimals = defaultDecimals, digits = defaultDigits } = options
  const shown = Math.min(digits, decimals)
  const [whole, fraction] = split(options.up ? roundUp(units, 10n ** BigInt(decimals - shown)) : units, decimals)
  const kept = fraction.slice(0, shown).replace(/0+$/, '')
  if (units > 0n && whole === 0n && kept === '') return shown === 0 ? '< 1' : `< 0.${'0'.repeat(shown - 1)}1`
  return kept === '' ? formatExactCount(whole) : `${formatExactCount(whole)}.${kept}`
}

const roundUp = (units: bigint, step: bigint) => ((units + step - 1n) / step) * step

function split(units: bigint, decimals: number): readonly [whole: bigint, fraction: string] {
  const size = 10n ** BigInt(decimals)
  return [units / size, decimals === 0 ? '' : (units % size).toString().padStart(decimals, '0')]
}
