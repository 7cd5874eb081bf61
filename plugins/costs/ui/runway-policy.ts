/** The runway of the deposit in words. Pure. */
import type { Answer, Tone } from '@svc/ui-kit'

export type Cost = Answer<'GET /cost'>
export type Runway = Cost['runway']

export const runwayTones: Readonly<Record<Runway['level'], Tone>> = {
  ok: 'success',
  warning: 'warning',
  serious: 'danger',
  empty: 'danger',
  unknown: 'neutral',
}

/** `128 days`, `31 hours`, or why there is no figure. */
export function runwayText({ seconds, days, level }: Runway): string {
  if (level === 'unknown') return 'Not known'
  if (seconds === null || days === null) return 'Nothing is spent'
  if (level === 'empty') return 'Used up'
  if (days >= 2) return `${days.toLocaleString('en-US')} days`
  if (seconds >= 7200) return `${Math.floor(seconds / 3600)} hours`
  return seconds < 120 ? 'Less than two minutes' : `${Math.floor(seconds / 60)} minutes`
}

/** `until 2027-03-02`, in UTC. Undefined where no time is known. */
export const fundedUntil = ({ funded_until }: Runway): string | undefined =>
  funded_until === undefined ? undefined : `until ${funded_until.slice(0, 10)}`
