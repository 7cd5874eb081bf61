import type { Tone } from './tone.ts'

interface StoredState {
  readonly state: 'cached' | 'uploading' | 'committing' | 'replicating' | 'stored' | 'failed'
  readonly attention_code?: string | undefined
}

interface StateLook {
  readonly word: string
  readonly tone: Tone
}

const looks: Readonly<Record<StoredState['state'], StateLook>> = {
  cached: { word: 'Cached', tone: 'neutral' },
  uploading: { word: 'Uploading', tone: 'info' },
  committing: { word: 'Committing', tone: 'info' },
  replicating: { word: 'Replicating', tone: 'info' },
  stored: { word: 'Stored', tone: 'success' },
  failed: { word: 'Failed', tone: 'danger' },
}

/** How far the copies of a version are. A state is no progress while no task works on the copies. */
export const objectStateLook = ({ state, attention_code }: StoredState): StateLook =>
  attention_code === 'stuck' ? { word: 'Stuck', tone: 'danger' } : looks[state]
