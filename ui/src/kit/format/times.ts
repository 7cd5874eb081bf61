import { absent } from './absent.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** RFC 3339 text, or milliseconds since 1970. */
export type Time = string | number

/** @returns undefined for an absent time and for text that is no time */
function toMillis(time: Time | null | undefined): number | undefined {
  if (time === null || time === undefined || time === '') return undefined
  const millis = typeof time === 'number' ? time : Date.parse(time)
  return Number.isNaN(millis) ? undefined : millis
}

/** `just now`, `5m ago`, `3h ago`, `12d ago`, `2y ago`; `in 5m` for a time to come. */
export function formatAgo(time: Time | null | undefined, now: number): string {
  const millis = toMillis(time)
  if (millis === undefined) return absent
  const distance = Math.abs(now - millis)
  if (distance < 10 * second) return 'just now'
  const text = toLargestUnit(distance)
  return millis > now ? `in ${text}` : `${text} ago`
}

/** `2026-11-23 04:27:47 UTC`, for titles. */
export function formatExactTime(time: Time | null | undefined): string {
  const millis = toMillis(time)
  if (millis === undefined || Math.abs(millis) > 8.64e15) return absent
  return `${new Date(millis).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `850 ms`, `42s`, `3m 5s`, `2h 10m`, `47 days`. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return absent
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1000)} ms`
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return joinUnits([whole / 60, 'm'], [whole % 60, 's'])
  if (whole < 2 * 86_400) return joinUnits([whole / 3600, 'h'], [(whole % 3600) / 60, 'm'])
  return `${Math.floor(whole / 86_400)} days`
}

const joinUnits = (...parts: readonly (readonly [number, string])[]) =>
  parts
    .map(([value, unit]) => [Math.floor(value), unit] as const)
    .filter(([value], index) => index === 0 || value > 0)
    .map(([value, unit]) => `${value}${unit}`)
    .join(' ')

function toLargestUnit(distance: number): string {
  if (distance < minute) return `${Math.floor(distance / second)}s`
  if (distance < hour) return `${Math.floor(distance / minute)}m`
  if (distance < day) return `${Math.floor(distance / hour)}h`
  if (distance < 365 * day) return `${Math.floor(distance / day)}d`
  return `${Math.floor(distance / (365 * day))}y`
}
