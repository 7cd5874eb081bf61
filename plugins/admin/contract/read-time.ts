const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/

/**
 * Milliseconds of an RFC 3339 time with any number of fraction digits; undefined for anything else. Digits below a millisecond round up,
 * so that a failure recorded within that millisecond counts as before the time.
 */
export function readTime(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = pattern.exec(text.toUpperCase()) ?? []
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number]
  const offset = readOffset(zone)
  const isDay = mo >= 1 && mo <= 12 && d >= 1 && d <= new Date(Date.UTC(y, mo, 0)).getUTCDate()
  if (!isDay || h > 23 || mi > 59 || s > 59 || offset === undefined) return undefined
  const whole = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const rest = /[1-9]/.test(fraction.slice(3)) ? 1 : 0
  return Date.UTC(y, mo - 1, d, h, mi, s, whole) + rest - offset
}

/** Milliseconds east of UTC; undefined for an invalid zone. */
function readOffset(zone: string): number | undefined {
  if (zone === 'Z') return 0
  const [hours, minutes] = zone.slice(1).split(':').map(Number)
  if (hours === undefined || minutes === undefined || hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
