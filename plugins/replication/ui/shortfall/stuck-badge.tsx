import { component$ } from '@builder.io/qwik'
import { formatCount, useQuery } from '@svc/ui-kit'

/** The number of objects that nothing works on, in the menu. */
export const StuckBadge = component$(() => {
  const overview = useQuery('GET /overview')
  const count = overview.data?.objects?.below_target?.stuck ?? 0
  if (count === 0) return null
  return (
    <span class="rounded-full border border-danger-edge bg-danger-soft px-1.5 text-xs font-medium text-danger">
      {formatCount(count)}
      <span class="sr-only"> objects stuck</span>
    </span>
  )
})
