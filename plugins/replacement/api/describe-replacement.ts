/** Replacements as the Admin API shows them. */
import { formatTime } from '#kernel'
import type { Providers } from '#plugins/providers'
import type { DataSetRecord, Placements } from '#plugins/replication'
import type { Buckets } from '#plugins/storage'
import type { Replacement, ReplacementProgress, Replacements } from '../contract.ts'
import type { ProgressAnswer, ReplacementAnswer, ReplacementSide } from './record-api.ts'

interface DescribeDeps {
  readonly replacements: Pick<Replacements, 'progress' | 'canRetry'>
  readonly placements: Pick<Placements, 'dataSetsOf'>
  readonly buckets: Pick<Buckets, 'list'>
  readonly providers: Pick<Providers, 'nameOf'>
}

/** Keeps the order. Leaves out those of a bucket that is being deleted: their data sets are forgotten at any moment. */
export async function describeReplacements(deps: DescribeDeps, found: readonly Replacement[]): Promise<ReplacementAnswer[]> {
  if (found.length === 0) return []
  const bucketIds = [...new Set(found.map(({ bucketId }) => bucketId))]
  const dataSets = new Map((await deps.placements.dataSetsOf(bucketIds)).map((dataSet) => [dataSet.id, dataSet]))
  const names = new Map(deps.buckets.list().map(({ id, name }) => [id, name]))
  const described: ReplacementAnswer[] = []
  for (const replacement of found) {
    const [source, target] = [dataSets.get(replacement.sourceId), dataSets.get(replacement.targetId)]
    const bucketName = names.get(replacement.bucketId)
    if (!source || !target || bucketName === undefined) continue
    const [progress, isRetryable] = await Promise.all([deps.replacements.progress(replacement), deps.replacements.canRetry(replacement)])
    const place = { bucket_name: bucketName, source: describeSide(deps, source), target: describeSide(deps, target) }
    described.push({ ...describe(replacement, progress), ...place, retryable: isRetryable })
  }
  return described
}

function describe(
  replacement: Replacement,
  progress: ReplacementProgress,
): Omit<ReplacementAnswer, 'bucket_name' | 'source' | 'target' | 'retryable'> {
  const { waitReason, failureReason, takenOverAtMs, supersededById, finishedAtMs } = replacement
  return {
    id: replacement.id,
    copy_index: replacement.slot,
    status: replacement.status,
    ...(waitReason !== null && { wait_reason: waitReason, wait_message: replacement.waitMessage ?? waitReason }),
    ...(failureReason !== null && { failure_reason: failureReason }),
    last_error: replacement.lastError,
    selection_mode: replacement.mode,
    origin: replacement.origin,
    items_total: progress.total,
    items_copied: progress.byState.copied,
    progress: describeProgress(replacement, progress),
    termination_epoch: replacement.terminationEpoch,
    ...(takenOverAtMs !== null && { taken_over_at: formatTime(takenOverAtMs) }),
    ...(supersededById !== null && { superseded_by: supersededById }),
    client_request_id: replacement.clientRequestId,
    created_at: formatTime(replacement.createdAtMs),
    updated_at: formatTime(replacement.updatedAtMs),
    ...(finishedAtMs !== null && { finished_at: formatTime(finishedAtMs) }),
  }
}

/** The counts may be read after the record: its own phase keeps both together. */
export const describeProgress = (
  { phase }: Pick<Replacement, 'phase'>,
  { isSeeded, total, byState, processed, percent, nextRetryAtMs }: ReplacementProgress,
): ProgressAnswer => ({
  scope: 'provider_replacement',
  phase,
  seeding_complete: isSeeded,
  items_total: total,
  items_copied: byState.copied,
  items_no_longer_needed: byState.no_longer_needed,
  items_processed: processed,
  ...(percent !== undefined && { percent }),
  items_pending: byState.pending,
  items_active: byState.active,
  items_retrying: byState.retrying,
  items_waiting_source: byState.waiting_source,
  items_failed: byState.failed,
  items_attention: byState.attention,
  ...(nextRetryAtMs !== null && { next_retry_at: formatTime(nextRetryAtMs) }),
})

function describeSide({ providers }: DescribeDeps, dataSet: DataSetRecord): ReplacementSide {
  const { id, generation, isCurrent, status, providerId, dataSetId, serviceUrl } = dataSet
  const name = providers.nameOf(providerId)
  return {
    id,
    generation,
    is_current: isCurrent,
    status,
    provider_id: providerId,
    data_set_id: dataSetId,
    provider_identity: {
      registry_provider_id: providerId,
      ...(name !== undefined && { name }),
      service_url: serviceUrl,
    },
  }
}
