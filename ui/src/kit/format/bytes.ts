import { absent, type Numeric, toInteger } from './absent.ts'
import { formatExactCount } from './counts.ts'

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** Base 1024, one decimal: `1.5 GiB`. Bytes below 1 KiB are exact. */
export function formatBytes(value: Numeric | null | undefined): string {
  const bytes = toInteger(value)
  if (bytes === undefined) return absent
  if (bytes < 0n) return `-${formatBytes(-bytes)}`
  if (bytes < 1024n) return `${formatExactCount(bytes)} B`
  let unit = 1
  let size = 1024n
  while (unit < units.length - 1 && toTenths(bytes, size) >= 10240n) {
    size *= 1024n
    unit += 1
  }
  const tenths = toTenths(bytes, size)
  return `${formatExactCount(tenths / 10n)}.${tenths % 10n} ${units[unit]}`
}

/** `1,610,612,736 bytes`, for titles. */
export function formatExactBytes(value: Numeric | null | undefined): string {
  const bytes = toInteger(value)
  if (bytes === undefined) return absent
  return `${formatExactCount(bytes)} ${bytes === 1n ? 'byte' : 'bytes'}`
}

/** `12.3 MiB/s` of a measured rate, which may have a fraction. */
export const formatByteRate = (bytesPerSecond: number | null | undefined): string =>
  bytesPerSecond === null || bytesPerSecond === undefined ? absent : `${formatBytes(Math.round(bytesPerSecond))}/s`

/** Rounds half up. */
const toTenths = (bytes: bigint, size: bigint) => (bytes * 20n + size) / (size * 2n)
