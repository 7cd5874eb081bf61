/** Words and tones of the states of versions. Pure. */
import type { Tone } from '@svc/ui-kit'
import type { AffectedVersion } from './risk-query-policy.ts'

interface Look {
  readonly word: string
  readonly tone: Tone
}

const looks: Readonly<Record<AffectedVersion['state'], Look>> = {
  cached: { word: 'Cached', tone: 'neutral' },
  uploading: { word: 'Uploading', tone: 'info' },
  committing: { word: 'Committing', tone: 'info' },
  replicating: { word: 'Replicating', tone: 'info' },
  stored: { word: 'Stored', tone: 'success' },
  failed: { word: 'Failed', tone: 'danger' },
}

/** A state is no progress while no task works on the copies. */
export const stateLook = ({ state, attention_code }: Pick<AffectedVersion, 'state' | 'attention_code'>): Look =>
  attention_code === 'stuck' ? { word: 'Stuck', tone: 'danger' } : looks[state]
