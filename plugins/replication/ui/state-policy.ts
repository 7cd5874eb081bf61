/** Words and tones of object states. Pure. */
import type { Answer, Tone } from '@svc/ui-kit'

export type Provenance = Answer<'GET /buckets/:name/objects/provenance'>
export type Copy = Provenance['copies'][number]
type ObjectState = Provenance['state']

const stateLabels: Readonly<Record<ObjectState, string>> = {
  cached: 'Cached',
  uploading: 'Uploading',
  committing: 'Committing',
  replicating: 'Replicating',
  stored: 'Stored',
  failed: 'Failed',
}

const stateTones: Readonly<Record<ObjectState, Tone>> = {
  cached: 'neutral',
  uploading: 'info',
  committing: 'info',
  replicating: 'info',
  stored: 'success',
  failed: 'danger',
}

/** A state is no progress while no task works on the copies. */
export const labelOf = ({ state, attention_code }: Pick<Provenance, 'state' | 'attention_code'>): string =>
  attention_code === 'stuck' ? 'Stuck' : stateLabels[state]

export const toneOf = ({ state, attention_code }: Pick<Provenance, 'state' | 'attention_code'>): Tone =>
  attention_code === 'stuck' ? 'danger' : stateTones[state]
