/** Words and tones of health verdicts and copies. Pure. */
import type { Answer, Tone } from '@svc/ui-kit'

export type Provenance = Answer<'GET /buckets/:name/objects/provenance'>
export type Copy = Provenance['copies'][number]
export type HealthStatus = Copy['health']['status']
type ObjectState = Provenance['state']

export const healthTones: Readonly<Record<HealthStatus, Tone>> = {
  available: 'success',
  degraded: 'warning',
  unavailable: 'danger',
  unknown: 'neutral',
}

export const healthLabels: Readonly<Record<HealthStatus, string>> = {
  available: 'Available',
  degraded: 'Degraded',
  unavailable: 'Unavailable',
  unknown: 'Unknown',
}

export const stateLabels: Readonly<Record<ObjectState, string>> = {
  cached: 'Cached',
  uploading: 'Uploading',
  committing: 'Committing',
  replicating: 'Replicating',
  stored: 'Stored',
  failed: 'Failed',
}

export const stateTones: Readonly<Record<ObjectState, Tone>> = {
  cached: 'neutral',
  uploading: 'info',
  committing: 'info',
  replicating: 'info',
  stored: 'success',
  failed: 'danger',
}

const reasonTexts: Readonly<Record<string, string>> = {
  copy_observation_missing: 'not observed yet',
  copy_under_replicated: 'fewer copies than requested',
  copy_pending: 'a copy is not at its provider yet',
  copy_committing: 'a copy is being committed on chain',
  copy_failed: 'a copy failed',
}

/** A reason code in words; codes of other plugins with spaces for underscores. */
const reasonText = (code: string): string => reasonTexts[code] ?? code.replaceAll('_', ' ')

export const reasonsText = (codes: readonly string[]): string => codes.map(reasonText).join(', ')
