const firstMs = 5000
const mostMs = 10 * 60_000

/**
 * Pause before the next attempt after `failures` failures: anywhere from zero to a limit that doubles up to ten minutes. The whole span
 * is random, so that tasks that failed together do not come back together.
 */
export function backoffMs(failures: number, random: number): number {
  return Math.round(Math.min(firstMs * 2 ** Math.max(0, failures - 1), mostMs) * random)
}
