import { component$, type QRL } from '@builder.io/qwik'
import { Button } from '../button.tsx'

interface PagerProps {
  /** Is true on the first page. */
  first: boolean
  /** There is a next page. */
  more: boolean
  pending?: boolean | undefined
  /** `50 rows` */
  summary?: string | undefined
  onFirst$: QRL<() => void>
  onNext$: QRL<() => void>
  /** Shown when the pages before are known. */
  onPrevious$?: QRL<() => void> | undefined
}

/** Pages by cursor: the API knows no total and no page numbers. */
export const Pager = component$<PagerProps>(({ first, more, pending, summary, onFirst$, onNext$, onPrevious$ }) => (
  <nav aria-label="Pages" class="flex flex-wrap items-center justify-between gap-3 px-4 py-2.5 text-xs text-muted">
    <span role="status">{summary}</span>
    <span class="flex gap-2">
      <Button size="sm" icon="chevrons-left" disabled={first || pending} onClick$={onFirst$}>
        First
      </Button>
      {onPrevious$ && (
        <Button size="sm" icon="chevron-left" disabled={first || pending} onClick$={onPrevious$}>
          Previous
        </Button>
      )}
      <Button size="sm" icon="chevron-right" disabled={!more} pending={pending} onClick$={onNext$}>
        Next
      </Button>
    </span>
  </nav>
))
