export const realDayMs = 86_400_000

/** How days of rules are counted. */
export interface Calendar {
  readonly dayMs: number
  /** Expiries are rounded up to a multiple of this. */
  readonly roundMs: number
  /** Time from one run to the next. */
  readonly runMs: number
}

/** Days of 24 hours end at midnight UTC, as in S3. Shorter ones, of tests, end after their time. */
export const calendarOf = (dayMs: number): Calendar =>
  dayMs === realDayMs ? realCalendar : { dayMs, roundMs: 1, runMs: Math.max(1, Math.floor(dayMs / 2)) }

export const realCalendar: Calendar = { dayMs: realDayMs, roundMs: realDayMs, runMs: realDayMs }

/** The moment of the latest run: what expires until then is deleted. */
export const latestRun = (nowMs: number, { runMs }: Calendar): number => Math.floor(nowMs / runMs) * runMs

/** The first midnight at least this many days later. */
export const afterDays = (fromMs: number, days: number, { dayMs, roundMs }: Calendar): number =>
  Math.ceil((fromMs + days * dayMs) / roundMs) * roundMs
