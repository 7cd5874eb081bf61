import { component$ } from '@builder.io/qwik'
import { type Answer, HealthBadge, healthReasons } from '@svc/ui-kit'
import { toHealth } from './list-query-policy.ts'

type Signal = Answer<'GET /observability/providers'>['items'][number]['signal']

/** The verdict with its reasons in words. */
export const HealthState = component$<{ signal: Signal }>(({ signal }) => {
  const reasons = healthReasons(signal.reason_codes)
  return (
    <span class="inline-flex max-w-full min-w-0 items-center gap-2 align-middle max-sm:flex-wrap max-sm:justify-end">
      <HealthBadge health={toHealth(signal)} />
      {reasons !== '' && (
        <span class="truncate text-xs text-muted first-letter:uppercase" title={reasons}>
          {reasons}
        </span>
      )}
    </span>
  )
})
