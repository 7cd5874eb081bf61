const firstMs = 5000
const mostMs = 10 * 60_000

/** Pause before the next attempt after `failures` failures: doubles up to ten minutes, anywhere between half of that and all of it. */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(firstMs * 2 ** Math.max(0, failures - 1), mostMs)
  return Math.round(full / 2 + (full / 2) * random)
}
