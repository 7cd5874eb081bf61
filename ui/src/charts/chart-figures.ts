/** Figures of the charts as text. Chart values are measurements: numbers. */
import { absent, type Numeric, toInteger } from '../kit/format/absent.ts'
import { formatByteRate, formatBytes } from '../kit/format/bytes.ts'
import { formatCount } from '../kit/format/counts.ts'

export type ChartUnit = 'count' | 'bytes' | 'byte-rate' | 'rate' | 'percent' | 'seconds' | 'usdfc'

export function formatFigure(value: number | null | undefined, unit: ChartUnit): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return absent
  if (unit === 'bytes') return formatBytes(Math.round(value))
  if (unit === 'byte-rate') return formatByteRate(value)
  if (unit === 'percent') return `${trim(value)}%`
  if (unit === 'seconds') return value < 1 ? `${Math.round(value * 1000)} ms` : `${trim(value)} s`
  if (unit === 'usdfc') return `${Number(value.toPrecision(3))} USDFC`
  if (unit === 'rate') return `${trim(value)}/s`
  return Math.abs(value) < 100 ? trim(value) : formatCount(Math.round(value))
}

/** Labels of an axis of bytes stand at 1, 2, 4, … of a unit: multiples of ten would be 19.1 MiB and 38.1 MiB. */
export const toAxisSteps = (unit: ChartUnit): readonly number[] | undefined =>
  unit === 'bytes' || unit === 'byte-rate' ? Array.from({ length: 60 }, (_, power) => 2 ** power) : undefined

/** Labels of an axis: whole figures without a fraction of zero. */
export const formatAxisFigure = (value: number, unit: ChartUnit): string => formatFigure(value, unit).replace('.0 ', ' ')

/** Smallest, largest and last value, for the text of a chart. */
interface SeriesFacts {
  readonly min: number
  readonly max: number
  readonly last: number
}

export function toSeriesFacts(values: readonly (number | null)[]): SeriesFacts | undefined {
  const known = values.filter((value) => value !== null)
  const last = known.at(-1)
  if (last === undefined) return undefined
  return { min: known.reduce((a, b) => Math.min(a, b)), max: known.reduce((a, b) => Math.max(a, b)), last }
}

/** `13:05` in a range of up to two days, with seconds below ten minutes, else `11-23`; local time, as on the clock of the reader. */
export function formatTick(seconds: number, rangeSeconds: number): string {
  const date = new Date(seconds * 1000)
  const two = (part: number) => String(part).padStart(2, '0')
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`
  if (rangeSeconds < 600) return `${time}:${two(date.getSeconds())}`
  if (rangeSeconds <= 2 * 86_400) return time
  return `${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Share of a whole in percent with two decimals, within 0 and 100, for widths. */
export function toPercent(part: Numeric | null | undefined, whole: Numeric | null | undefined): number {
  const [a, b] = [toInteger(part) ?? 0n, toInteger(whole) ?? 0n]
  if (b <= 0n) return 0
  return Math.min(100, Math.max(0, Number((a * 10_000n) / b) / 100))
}

const trim = (value: number) => String(Math.round(value * 10) / 10)
