/** Object counts of the overview. */
import type { ObjectCounts, ObjectState } from '#plugins/replication'
import type { Overview } from './overview-api.ts'

const none: Pick<ObjectCounts, 'byState' | 'unavailable' | 'stuck'> = { byState: new Map(), unavailable: 0, stuck: 0 }

interface Waiting {
  readonly confirmations: number
  readonly stuckDataSets: number
  readonly damagedFiles: number
}

export function summariseStates(
  { byState, unavailable, stuck } = none,
  { confirmations, stuckDataSets, damagedFiles }: Waiting,
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
      stuck,
      stuck_data_sets: stuckDataSets,
      storage_confirmations: confirmations,
      ...(damagedFiles > 0 && { damaged_files: damagedFiles }),
    },
  }
}
