import { component$ } from '@builder.io/qwik'
import { Badge, formatCount, formatDuration, formatExactTime, formatPlural, Progress, useNow } from '@svc/ui-kit'
import { isEnded, needsOperator, outstandingOf, type Replacement } from './words-policy.ts'

/** Contents that were moved and those that are left. No share is shown before all contents were found. */
export const ProgressFacts = component$<{ replacement: Replacement }>(({ replacement }) => {
  const { progress } = replacement
  const { seeding_complete: isSeeded, items_total: total, items_processed: processed, items_copied: copied } = progress
  const outstanding = outstandingOf(progress)
  const isMoving = progress.phase !== 'prepare' || total > 0
  return (
    <div class="flex flex-col gap-3">
      {isMoving && !isEnded(replacement) && !needsOperator(replacement) && !isSeeded && (
        <Progress label="Contents" text={`${formatPlural(total, 'content')} found so far, ${formatCount(copied)} copied`} />
      )}
      {isMoving && isSeeded && (
        <Progress
          label="Contents"
          value={total === 0 ? 1 : processed}
          max={total === 0 ? 1 : total}
          text={total === 0 ? 'No contents had to move' : `${formatCount(processed)} of ${formatPlural(total, 'content')}`}
        />
      )}
      {progress.items_no_longer_needed > 0 && (
        <p class="text-sm text-muted">
          {formatPlural(progress.items_no_longer_needed, 'content was', 'contents were')} deleted before it had to move.
        </p>
      )}
      {outstanding.length > 0 && (
        <ul class="flex flex-wrap gap-2" aria-label="Outstanding contents">
          {outstanding.map(({ label, count, tone }) => (
            <li key={label}>
              <Badge tone={tone}>
                {label}: {formatCount(count)}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {progress.next_retry_at !== undefined && <NextRetry at={progress.next_retry_at} />}
    </div>
  )
})

const NextRetry = component$<{ at: string }>(({ at }) => {
  const now = useNow()
  const seconds = Math.round((Date.parse(at) - now.value) / 1000)
  return (
    <p class="text-sm text-muted" title={formatExactTime(at)}>
      {seconds > 0 ? `The next retry is in ${formatDuration(seconds)}.` : 'The next retry is due.'}
    </p>
  )
})
