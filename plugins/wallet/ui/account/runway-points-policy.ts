/** The picture of the runway: the available amount falls to zero in a straight line. Pure; places are in percent. */
const daySeconds = 86_400

interface RunwayMark {
  readonly days: number
  readonly x: number
  /** The deposit does not last until then. */
  readonly isMissed: boolean
}

interface RunwayPoints {
  /** Where the available amount is used up; 100 when that is beyond the edge. */
  readonly endX: number
  /** Height that is left at the right edge. */
  readonly rightY: number
  readonly marks: readonly RunwayMark[]
}

const marked = [30, 90, 180] as const
/** The edge is a little behind the last mark, so that its label fits. */
const edgeDays = 200

export function runwayPoints(seconds: number): RunwayPoints {
  const runwayDays = seconds / daySeconds
  const toX = (days: number) => Math.min(100, Math.round((days / edgeDays) * 10_000) / 100)
  return {
    endX: toX(runwayDays),
    rightY: runwayDays <= edgeDays ? 0 : Math.round((1 - edgeDays / runwayDays) * 10_000) / 100,
    marks: marked.map((days) => ({ days, x: toX(days), isMissed: runwayDays < days })),
  }
}

/** A thin band is visible, and a thick one leaves room. */
const lockedPercent = { min: 4, max: 60 } as const

/** Share of the height that the locked amount takes. */
export function lockedShare({
  available_funds,
  lockup_current,
}: {
  readonly available_funds: string
  readonly lockup_current: string
}): number {
  const [available, locked] = [BigInt(available_funds), BigInt(lockup_current)]
  if (locked === 0n) return 0
  const percent = Number((locked * 10_000n) / (locked + available)) / 100
  return Math.min(lockedPercent.max, Math.max(lockedPercent.min, percent))
}
