/** Object counts of the overview. */
import type { ObjectCounts, ObjectState } from '#plugins/replication'
import type { Overview } from './overview-api.ts'

const none: ObjectCounts = { byState: new Map(), unavailable: 0 }

interface Waiting {
  readonly confirmations: number
  readonly damagedFiles: number
}

export function summariseStates(
  { byState, unavailable } = none,
  { confirmations, damagedFiles }: Waiting = { confirmations: 0, damagedFiles: 0 },
): Pick<Overview['objects'], 'by_state' | 'attention'> {
  const count = (state: ObjectState) => byState.get(state) ?? 0
  return {
    by_state: {
      cached: count('cached'),
      uploading: count('uploading'),
      committing: count('committing'),
      replicating: count('replicating'),
      stored: count('stored'),
      failed: count('failed'),
    },
    attention: {
      needs_attention: count('failed'),
      unavailable,
      storage_confirmations: confirmations,
      ...(damagedFiles > 0 && { damaged_files: damagedFiles }),
    },
  }
}
