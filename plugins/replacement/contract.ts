/** Public contract of the replacement plugin: moves replicas of buckets from one storage provider to another. */
import { defineService, type Tx } from '#kernel'
import type { Replacement, ReplacementCandidate, ReplacementCommand, ReplacementProgress, ReplacementStatus } from './contract/records.ts'

export * from './contract/records.ts'

/** A page of a list. Newest first. */
export interface ReplacementFilter {
  readonly bucketId?: number | undefined
  /** Absent: all. */
  readonly statuses?: readonly ReplacementStatus[] | undefined
  /** Only replacements with a lower id: the id of the last one of the page before. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Refusals are errors with the codes of `errors.ts`. */
export interface Replacements {
  /**
   * Creates a service at another provider, moves the replica to it and ends the old service. Refusals, in the order of the checks:
   * `client_request_id_required`, `replacement_target_invalid` (400, mode or provider), `replacement_data_set_not_found`,
   * `replacement_idempotency_conflict`, `replacement_active`, `replacement_source_not_current`, `replacement_source_creating`,
   * `replacement_target_invalid`, `replacement_service_unavailable` (503), `replacement_target_unavailable` (400),
   * `replacement_target_in_use`, `replacement_no_eligible_provider`. An exact repeat finds the first record before providers are listed.
   * `record` runs in the transaction that adds the replacement, not for a repeat; it throws to refuse.
   */
  confirm(
    command: ReplacementCommand,
    record?: (tx: Tx, replacement: Replacement) => Promise<void>,
  ): Promise<{ readonly replacement: Replacement; readonly isRepeat: boolean }>
  /**
   * Continues one that failed, or whose cleanup needs an operator, with the same target. Refusals, in order: `replacement_not_found`,
   * `replacement_superseded`, `replacement_not_retryable`, `replacement_task_running`, `replacement_target_in_use`,
   * `replacement_target_unavailable` (its target has ended).
   */
  retry(id: number): Promise<Replacement>
  find(id: number): Promise<Replacement | undefined>
  list(filter: ReplacementFilter): Promise<readonly Replacement[]>
  /**
   * The available providers, eligible ones first, best first: `confirm` with `automatic` takes the first eligible one that was not used.
   * Refuses as `confirm` does: `replacement_data_set_not_found`, `replacement_source_not_current`, `replacement_service_unavailable`.
   */
  candidates(place: { readonly bucketId: number; readonly dataSetId: number }): Promise<readonly ReplacementCandidate[]>
  /** Cheap to call every few seconds: callers share the counts of a replacement. */
  progress(replacement: Replacement): Promise<ReplacementProgress>
  /** Whether an operator may retry it, as `retry` decides. */
  canRetry(replacement: Replacement): Promise<boolean>
}

export const replacements = defineService<Replacements>('replacement.replacements')

/** Says that a replacement or its items changed, for watchers: called after the commit. */
export interface ReplacementChanges {
  /** Returns how to stop. A listener must not throw. */
  subscribe(listener: (replacementId: number) => void): () => void
}

export const replacementChanges = defineService<ReplacementChanges>('replacement.changes')
