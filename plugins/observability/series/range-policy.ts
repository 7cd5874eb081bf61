/** Which steps are kept, and which of them an answer has. */

/** 24 hours in steps of 20 seconds, and 90 days in hours. A row has the steps of 5 minutes, or one hour. */
export const resolutions = {
  fine: { stepMs: 20_000, steps: 24 * 180, stepsPerRow: 15 },
  hours: { stepMs: 3_600_000, steps: 90 * 24, stepsPerRow: 1 },
} as const

interface Range {
  readonly ring: keyof typeof resolutions
  /** Steps of the ring in one step of the answer. */
  readonly perStep: number
  readonly first: number
  readonly count: number
}

interface Asked {
  readonly fromMs: number
  readonly stepMs: number
  readonly nowMs: number
}

/** A step of 20 seconds that has ended is measured a little later. */
const lateMs = 6000

/** A text says why the range cannot be answered. Steps are numbered from 1970. */
export function chooseRange({ fromMs, stepMs, nowMs }: Asked): Range | string {
  const { fine, hours } = resolutions
  const ring = stepMs % hours.stepMs === 0 ? 'hours' : 'fine'
  const { stepMs: baseMs, steps } = resolutions[ring]
  if (stepMs % fine.stepMs !== 0) return `step must be a multiple of ${fine.stepMs / 1000} seconds`
  if (fromMs > nowMs) return 'from must not be in the future'
  if (fromMs < nowMs - steps * baseMs - stepMs) {
    if (ring === 'hours') return 'from must not be more than 90 days ago'
    return 'from is more than 24 hours ago: step must be a multiple of 3600 seconds'
  }
  // The hour that runs is shown as far as it has come.
  const end = ring === 'hours' ? Math.floor(nowMs / baseMs) + 1 : Math.floor((nowMs - lateMs) / baseMs)
  const perStep = stepMs / baseMs
  const first = Math.floor(fromMs / stepMs)
  return { ring, perStep, first, count: Math.max(0, Math.ceil(end / perStep) - first) }
}

const agoPattern = /^-(\d{1,5})([smhd])$/
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds since 1970 of `-90m`; undefined for anything else. */
export function readAgo(text: string, nowMs: number): number | undefined {
  const [, count, unit] = agoPattern.exec(text) ?? []
  return unit === undefined ? undefined : nowMs - Number(count) * unitMs[unit as keyof typeof unitMs]
}
