import { component$ } from '@builder.io/qwik'
import { Ago, type Answer, Badge, formatCount, type HealthStatus, healthTones, healthWords } from '@svc/ui-kit'

type Page = Pick<Answer<'GET /observability/providers'>, 'summary' | 'summary_signal'>

const order: readonly HealthStatus[] = ['available', 'degraded', 'unavailable', 'unknown']

/** How many rows of the filter have which health, and when they were checked. */
export const HealthSummary = component$<{ page: Page }>(({ page: { summary, summary_signal } }) => {
  const { freshness } = summary_signal
  return (
    <div class="flex flex-wrap items-center gap-x-2 gap-y-1.5 text-xs text-muted">
      {order
        .filter((status) => summary[status] > 0)
        .map((status) => (
          <Badge key={status} tone={healthTones[status]}>
            {formatCount(summary[status])} {healthWords[status].toLowerCase()}
          </Badge>
        ))}
      <span>
        {freshness.last_checked_at === undefined ? (
          'Not checked yet'
        ) : (
          <>
            Checked <Ago time={freshness.last_checked_at} />
          </>
        )}
      </span>
      {freshness.stale && freshness.last_checked_at !== undefined && <Badge tone="warning">Out of date</Badge>}
    </div>
  )
})
