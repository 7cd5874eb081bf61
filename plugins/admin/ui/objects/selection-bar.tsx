import { component$, type Signal, Slot } from '@builder.io/qwik'
import { Button, formatPlural } from '@svc/ui-kit'

/** How many rows are selected. Slot: buttons for what can be done with them. */
export const SelectionBar = component$<{ selected: Signal<readonly string[]> }>(({ selected }) =>
  selected.value.length === 0 ? null : (
    <div class="mb-3 flex flex-wrap items-center gap-2 rounded-md border border-accent bg-accent-soft px-3 py-2 text-sm">
      <span role="status" class="me-auto font-medium">
        {formatPlural(selected.value.length, 'row')} selected
      </span>
      <Button
        size="sm"
        variant="ghost"
        onClick$={() => {
          selected.value = []
        }}
      >
        Clear
      </Button>
      <Slot />
    </div>
  ),
)
