/** How many copies one round of samples reads. Pure. */

const dayMs = 24 * 3_600_000
const million = 1_000_000

interface RoundSize {
  readonly committed: number
  readonly perMillionDaily: number
  readonly intervalMs: number
  /** A number from 0 up to, but not including, 1. */
  readonly random: number
}

/** The share of a day that the interval has; of a fraction of a copy, the chance decides, so that few copies are sampled too. */
export function samplesPerRound({ committed, perMillionDaily, intervalMs, random }: RoundSize): number {
  const expected = (committed * perMillionDaily * Math.min(intervalMs, dayMs)) / (million * dayMs)
  const whole = Math.floor(expected)
  return whole + (random < expected - whole ? 1 : 0)
}

export const isChosen = (perMillion: number, random: number): boolean => random * million < perMillion
