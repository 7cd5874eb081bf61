const firstMs = 5000
const mostMs = 10 * 60_000

/**
 * Pause before the next attempt after `failures` failures: random between zero and a limit that doubles up to ten minutes (full jitter),
 * so that tasks that failed together do not retry together.
 */
export function backoffMs(failures: number, random: number): number {
  return Math.round(Math.min(firstMs * 2 ** Math.max(0, failures - 1), mostMs) * random)
}
