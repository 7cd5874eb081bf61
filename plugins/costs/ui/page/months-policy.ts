/** Months of receipts, in UTC. Pure. */
const monthsShown = 12

/** The present month and those before it, newest first: `2026-11`. */
export function lastMonths(nowMs: number, count = monthsShown): readonly string[] {
  const now = new Date(nowMs)
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  )
}
