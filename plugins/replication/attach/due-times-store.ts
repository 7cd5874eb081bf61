import { type DueTimes, sqlStatement } from '#kernel'

/**
 * Columns with due times, or with times from which a wait is counted. A time later than now was written before the clock stepped back:
 * it would delay its step by as much as the clock moved.
 */
export const dueColumns = {
  copies: ['next_attempt_at', 'uploaded_at', 'parked_at'],
  commit_batches: ['next_check_at', 'submit_started_at', 'first_submitted_at', 'attention_at', 'created_at'],
  data_sets: [
    'create_started_at',
    'gone_seen_at',
    'next_look_at',
    'writes_paused_until',
    'pulls_throttled_until',
    'create_offered_at',
    'created_at',
  ],
  removal_attempts: ['started_at'],
  data_set_endings: ['started_at', 'requested_at', 'retiring_at'],
  provider_refusals: ['at'],
  provider_call_limits: ['refused_at'],
  resumptions: ['next_at'],
  copy_doubts: ['first_failed_at', 'next_check_at'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Columns that only record when something happened, so that no wait depends on them, and those of which their own plugin takes care. */
export const recordedColumns: Readonly<Record<string, readonly string[]>> = {
  buckets: ['created_at', 'updated_at', 'deleted_at'],
  contents: ['created_at', 'updated_at'],
  object_versions: ['created_at'],
  object_tombstones: ['deleted_at'],
  packs: ['created_at'],
  waiting_members: ['added_at'],
  cache_entries: ['accessed_at', 'cached_at'],
  cache_blobs: ['damaged_at'],
  cache_quarantine: ['removed_at'],
  cache_epochs: ['swept_at'],
  uploads: ['created_at', 'active_at'],
  upload_parts: ['created_at'],
  copies: ['committed_at', 'created_at', 'updated_at'],
  commit_batches: ['final_at', 'updated_at'],
  data_sets: ['final_at', 'updated_at'],
  commit_items: ['released_at'],
  removals: ['created_at', 'updated_at'],
  removal_attempts: ['updated_at'],
  data_set_endings: ['updated_at'],
  price_lists: ['seen_at'],
  copy_doubts: ['denied_at'],
  copy_raises: ['created_at', 'updated_at', 'finished_at'],
}

const bounds = Object.entries(dueColumns).flatMap(([table, columns]) =>
  columns.map((column) => sqlStatement<{ nowMs: number }>(`update ${table} set ${column} = :nowMs where ${column} > :nowMs`)),
)

/** Reads every row of these tables, about 0.1 s per million rows: clock steps are rare. */
export const replicationDueTimes: DueTimes = {
  name: 'replication',
  async bound(tx, nowMs) {
    for (const bound of bounds) await tx.run(bound, { nowMs })
  },
}
