import type { Answer } from '@svc/ui-kit'

export type Line = Answer<'GET /audit'>['lines'][number]

export const kindLabels: Readonly<Record<Line['what'], string>> = {
  sign_in: 'Sign-in',
  block: 'Address blocked',
  refusal: 'Refused for safety',
  change: 'Change',
}

export const outcomeLabels: Readonly<Record<Line['outcome'], string>> = {
  done: 'Done',
  refused: 'Refused',
  failed: 'Failed',
  blocked: 'Blocked',
  cut: 'Client left',
}

export const kindOf = (text: string): Line['what'] | undefined => (Object.hasOwn(kindLabels, text) ? (text as Line['what']) : undefined)

export const outcomeOf = (text: string): Line['outcome'] | undefined =>
  Object.hasOwn(outcomeLabels, text) ? (text as Line['outcome']) : undefined

export const spans = [
  { value: '', label: 'All time', ms: undefined },
  { value: '1h', label: 'Last hour', ms: 3_600_000 },
  { value: '24h', label: 'Last 24 hours', ms: 24 * 3_600_000 },
  { value: '7d', label: 'Last 7 days', ms: 7 * 24 * 3_600_000 },
  { value: '30d', label: 'Last 30 days', ms: 30 * 24 * 3_600_000 },
] as const

const minuteMs = 60_000

/** Start of the chosen span, on a whole minute, so that the same page asks with the same time. */
export function startOf(span: string, nowMs: number): string | undefined {
  const ms = spans.find(({ value }) => value === span)?.ms
  if (ms === undefined) return undefined
  return new Date(Math.floor((nowMs - ms) / minuteMs) * minuteMs).toISOString()
}

/** `name: photos, key: a.jpg`: what the request named. */
export const subjectText = (subject: Line['subject']): string =>
  Object.entries(subject)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')

/** `PUT settings` for a change, else the kind. */
export const actionText = ({ what, method, route }: Pick<Line, 'what' | 'method' | 'route'>): string =>
  method === undefined || route === undefined ? kindLabels[what] : `${method} ${route.replace(/^\/api\/v1\//, '')}`
