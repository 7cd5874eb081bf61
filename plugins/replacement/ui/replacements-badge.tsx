import { component$ } from '@builder.io/qwik'
import { formatCount, useQuery } from '@svc/ui-kit'

/** The number of replacements that need an operator, in the menu. */
export const ReplacementsBadge = component$(() => {
  const overview = useQuery('GET /overview')
  const count = overview.data?.replacements?.needs_attention ?? 0
  if (count === 0) return null
  return (
    <span class="rounded-full border border-warning-edge bg-warning-soft px-1.5 text-xs font-medium text-warning">
      {formatCount(count)}
      <span class="sr-only"> need a decision</span>
    </span>
  )
})
