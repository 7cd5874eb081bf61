/** Six weeks of proofs as one cell a day. Pure. */

export const stripDays = 42

export interface ProvingDay {
  readonly days_ago: number
  /** Proving periods that ended on this day and were observed, and those of them with a proof. */
  readonly periods: number
  readonly proven: number
}

export interface StripCell {
  readonly daysAgo: number
  readonly state: 'unseen' | 'proven' | 'partly' | 'missed'
}

function stateOf(day: ProvingDay | undefined): StripCell['state'] {
  if (day === undefined || day.periods === 0) return 'unseen'
  if (day.proven === day.periods) return 'proven'
  return day.proven === 0 ? 'missed' : 'partly'
}

/** Oldest day first. */
export function toStrip(days: readonly ProvingDay[]): readonly StripCell[] {
  const byDay = new Map(days.map((day) => [day.days_ago, day]))
  return Array.from({ length: stripDays }, (_, index) => {
    const daysAgo = stripDays - 1 - index
    return { daysAgo, state: stateOf(byDay.get(daysAgo)) }
  })
}

/** The strip in words. */
export function stripText(days: readonly ProvingDay[]): string {
  const shown = days.filter(({ days_ago }) => days_ago < stripDays)
  const periods = shown.reduce((sum, day) => sum + day.periods, 0)
  const missed = shown.reduce((sum, day) => sum + day.periods - day.proven, 0)
  if (periods === 0) return 'No proving period was observed in the last six weeks'
  const bad = shown.filter((day) => day.proven < day.periods).map(({ days_ago }) => (days_ago === 0 ? 'today' : `${days_ago} d ago`))
  return `${periods - missed} of ${periods} periods proven in the last six weeks${bad.length === 0 ? '' : `; missed: ${bad.join(', ')}`}`
}

const dayMs = 24 * 3_600_000

/** Single periods, as the proof of an object lists them, counted by days before a time. */
export function countByDay(
  periods: readonly { readonly ended_at: string; readonly proven: boolean }[],
  nowMs: number,
): readonly ProvingDay[] {
  const days = new Map<number, { periods: number; proven: number }>()
  for (const { ended_at, proven } of periods) {
    const daysAgo = Math.max(0, Math.floor((nowMs - Date.parse(ended_at)) / dayMs))
    const day = days.get(daysAgo) ?? { periods: 0, proven: 0 }
    days.set(daysAgo, { periods: day.periods + 1, proven: day.proven + Number(proven) })
  }
  return [...days].map(([days_ago, day]) => ({ days_ago, ...day }))
}
