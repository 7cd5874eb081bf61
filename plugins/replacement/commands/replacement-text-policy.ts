/** Texts of a replacement. */
import { formatFacts } from '#cli'
import type { ProgressAnswer, ReplacementAnswer, ReplacementSide } from '../api/record-api.ts'

export const isEnded = ({ status }: ReplacementAnswer): boolean => status === 'completed' || status === 'superseded'
export const needsOperator = ({ status }: ReplacementAnswer): boolean => status === 'failed' || status === 'cleanup_attention'

/** `12 of 40 (30 %)`; while contents are being found, the number found so far. */
export function progressText({ seeding_complete, items_processed, items_total, percent }: ProgressAnswer): string {
  if (!seeding_complete || percent === undefined) return `${items_processed} of ${items_total} found so far`
  return `${items_processed} of ${items_total} (${percent} %)`
}

const outstandingText = (progress: ProgressAnswer): string =>
  (
    [
      [progress.items_pending, 'pending'],
      [progress.items_active, 'active'],
      [progress.items_retrying, 'retrying'],
      [progress.items_waiting_source, 'without a source'],
      [progress.items_failed, 'failed'],
      [progress.items_attention, 'for an operator'],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ')

const sideText = ({ provider_id, provider_identity, id, data_set_id, status }: ReplacementSide): string => {
  const name = provider_identity.name === undefined ? '' : ` (${provider_identity.name})`
  return `provider ${provider_id}${name}, data set ${id}${data_set_id === null ? '' : `, on chain ${data_set_id}`}: ${status}`
}

export function replacementText(record: ReplacementAnswer): string {
  const { id, progress, status, source, target } = record
  const stage = status === 'waiting' || needsOperator(record) ? ` (${progress.phase})` : ''
  return formatFacts([
    ['Replacement', id],
    ['Bucket', `${record.bucket_name}, replica ${record.copy_index}`],
    ['Status', `${status}${stage}`],
    ['Waits for', record.wait_reason && `${record.wait_reason}: ${record.wait_message}`],
    ['Last error', record.last_error],
    ['From', sideText(source)],
    ['To', sideText(target)],
    ['Progress', progressText(progress)],
    ['No longer needed', progress.items_no_longer_needed === 0 ? undefined : progress.items_no_longer_needed],
    ['Outstanding', outstandingText(progress)],
    ['Next retry', progress.next_retry_at],
    ['Uploads go to the new provider since', record.taken_over_at],
    ['Old service ends at epoch', record.termination_epoch],
    ['Superseded by', record.superseded_by],
    ['Chosen by', record.origin === 'repair' ? 'automatic repair' : record.selection_mode === 'manual' ? 'an operator' : 'svc'],
    ['Confirmed', record.created_at],
    ['Updated', record.updated_at],
    ['Next step', nextStep(record)],
  ])
}

function nextStep(record: ReplacementAnswer): string | undefined {
  const { id, bucket_name, source } = record
  if (!needsOperator(record)) return undefined
  if (record.retryable) return `svc admin replacement retry ${id}`
  return `svc admin replacement start ${bucket_name} ${source.id} --provider <id>, with another provider`
}
