import { defineService } from './service.ts'

/** The service's source of time. Tests replace it with a manual clock. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const clock = defineService<Clock>('kernel.clock')

/** Node's timers overflow above 2^31-1 ms (24.8 days) and would fire at once. */
const timerMsMax = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const end = () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const timer = setTimeout(end, Math.min(Math.max(ms, 0), timerMsMax))
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
    }),
}

const dayMs = 86_400_000
const secondMs = 1000
const timeOfDayChars = '00:00:00.000Z'.length
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
/** The texts of the days of recent times, by number: the times of a list fall on few days, and a `Date` is slow. */
const days = new Map<number, string>()
const daysMax = 64

/** RFC 3339 in whole seconds, as the Admin API writes times: `2026-01-31T12:00:00Z`. A page of tasks has hundreds. */
export function formatTime(ms: number): string {
  const day = Math.floor(ms / dayMs)
  const seconds = Math.floor((ms - day * dayMs) / secondMs)
  const minutes = Math.floor(seconds / 60)
  return `${days.get(day) ?? addDay(day)}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}Z`
}

function addDay(day: number): string {
  const text = new Date(day * dayMs).toISOString().slice(0, -timeOfDayChars)
  if (days.size >= daysMax) days.clear()
  days.set(day, text)
  return text
}

/** RFC 3339 with milliseconds: `2026-01-31T12:00:00.123Z`. */
export function formatPreciseTime(ms: number): string {
  return new Date(ms).toISOString()
}
