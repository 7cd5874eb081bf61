import { absent, type Numeric, toInteger } from './absent.ts'

const steps = ['', 'K', 'M', 'B', 'T'] as const

/** Exact below 10,000, then short: `9,999`, `18.2K`, `3.4M`. */
export function formatCount(value: Numeric | null | undefined): string {
  const count = toInteger(value)
  if (count === undefined) return absent
  if (count < 0n) return `-${formatCount(-count)}`
  if (count < 10_000n) return formatExactCount(count)
  let step = 1
  let size = 1000n
  while (step < steps.length - 1 && toTenths(count, size) >= 10_000n) {
    size *= 1000n
    step += 1
  }
  const tenths = toTenths(count, size)
  const fraction = tenths % 10n === 0n ? '' : `.${tenths % 10n}`
  return `${formatExactCount(tenths / 10n)}${fraction}${steps[step]}`
}

/** `18,204` */
export function formatExactCount(value: Numeric | null | undefined): string {
  const count = toInteger(value)
  if (count === undefined) return absent
  return count.toString().replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 object`, `2 objects`, `18.2K objects`; `many` is for words without a plain s. */
export const formatPlural = (value: Numeric | null | undefined, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${toInteger(value) === 1n ? one : many}`

/** Share of a whole: `0%`, `< 0.1%`, `62.4%`, `> 99.9%`, `100%`. Only the whole itself is 100%. */
export function formatPercent(part: Numeric | null | undefined, whole: Numeric | null | undefined): string {
  const [a, b] = [toInteger(part), toInteger(whole)]
  if (a === undefined || b === undefined || b === 0n) return absent
  if (a === 0n) return '0%'
  if (a === b) return '100%'
  const tenths = (a * 1000n + b / 2n) / b
  if (tenths === 0n) return '< 0.1%'
  if (tenths === 1000n) return a < b ? '> 99.9%' : '100%'
  return `${tenths / 10n}.${tenths % 10n}%`
}

const toTenths = (count: bigint, size: bigint) => (count * 20n + size) / (size * 2n)
