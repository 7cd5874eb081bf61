/** Token amounts: decimal digits of base units. BigInt throughout: a float would lose digits. */
import { absent, type Numeric, toInteger } from './absent.ts'
import { formatExactCount } from './counts.ts'

interface MoneyOptions {
  /** Decimals of the token: 18 for USDFC and the native gas token. */
  readonly decimals?: number | undefined
  /** Most fraction digits shown; the rest is cut off, so an amount is never shown as more than it is. */
  readonly digits?: number | undefined
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
  const [whole, fraction] = split(units, decimals)
  const kept = fraction.slice(0, shown).replace(/0+$/, '')
  if (units > 0n && whole === 0n && kept === '') return shown === 0 ? '< 1' : `< 0.${'0'.repeat(shown - 1)}1`
  return kept === '' ? formatExactCount(whole) : `${formatExactCount(whole)}.${kept}`
}

/** Every digit: `1.940000000000000001`, for titles and copies. */
export function formatExactMoney(amount: Numeric | null | undefined, decimals = defaultDecimals): string {
  const units = toInteger(amount)
  if (units === undefined) return absent
  const [whole, fraction] = split(units < 0n ? -units : units, decimals)
  const kept = fraction.replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${kept === '' ? '' : `.${kept}`}`
}

/** Base units of `12.5` as typed by an operator. Undefined for anything but plain digits within the decimals. */
export function parseMoney(text: string, decimals = defaultDecimals): bigint | undefined {
  const match = /^(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text.trim())
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  if (fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

function split(units: bigint, decimals: number): readonly [whole: bigint, fraction: string] {
  const size = 10n ** BigInt(decimals)
  return [units / size, decimals === 0 ? '' : (units % size).toString().padStart(decimals, '0')]
}
