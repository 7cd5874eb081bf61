import { component$, type QRL, Slot } from '@builder.io/qwik'
import { showHidden } from '../format/ids.ts'
import { Icon } from '../icon.tsx'

export interface ActiveFilter {
  readonly id: string
  /** `Status: failed` */
  readonly label: string
}

interface FilterBarProps {
  /** Filters in effect, each with a button that removes it. */
  active?: readonly ActiveFilter[] | undefined
  onRemove$?: QRL<(id: string) => void> | undefined
  onClear$?: QRL<() => void> | undefined
  /** `3 of 120 tasks` */
  summary?: string | undefined
}

/** Controls above a list. Slots: default (search and selects), `actions` (right). */
export const FilterBar = component$<FilterBarProps>(({ active = [], onRemove$, onClear$, summary }) => (
  <div class="flex flex-col gap-2.5">
    <div class="flex flex-wrap items-center gap-2">
      <Slot />
      <div class="ms-auto flex flex-wrap items-center gap-2 empty:hidden">
        {summary && (
          <span role="status" class="text-xs text-muted">
            {summary}
          </span>
        )}
        <Slot name="actions" />
      </div>
    </div>
    {active.length > 0 && (
      <div class="flex min-h-7 flex-wrap items-center gap-2 text-xs">
        {active.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            aria-label={`Remove the filter ${label}`}
            onClick$={() => onRemove$?.(id)}
            class="kit-ease inline-flex h-7 max-w-full items-center gap-1.5 rounded-full border border-edge bg-sunken ps-2.5 pe-2 font-medium hover:border-control"
          >
            <bdi class="truncate">{showHidden(label)}</bdi>
            <Icon name="x" size={12} />
          </button>
        ))}
        {active.length > 1 && (
          <button type="button" onClick$={() => onClear$?.()} class="h-7 rounded-sm px-1 text-muted underline hover:text-fg">
            Clear all
          </button>
        )}
      </div>
    )}
  </div>
))
