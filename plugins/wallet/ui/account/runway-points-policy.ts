/** The picture of the runway: the available amount falls to zero in a straight line. Pure; places are in percent. */
const daySeconds = 86_400

interface RunwayMark {
  readonly days: number
  readonly x: number
  /** The deposit does not last until then. */
  readonly isMissed: boolean
}

interface RunwayPoints {
  /** Days at the right edge. */
  readonly days: number
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
    days: edgeDays,
    endX: toX(runwayDays),
    rightY: runwayDays <= edgeDays ? 0 : Math.round((1 - edgeDays / runwayDays) * 10_000) / 100,
    marks: marked.map((days) => ({ days, x: toX(days), isMissed: runwayDays < days })),
  }
}
