import { $, component$, useSignal } from '@builder.io/qwik'
import { type BoundProps, readBound, writeBound } from '../bound.ts'
import { Icon } from '../icon.tsx'

interface SearchFieldProps extends BoundProps<string> {
  label: string
  placeholder?: string | undefined
  /** Marks the field that the key `/` focuses. */
  shortcut?: boolean | undefined
  class?: string | undefined
}

/** A filter by text. Esc and the button empty it. */
export const SearchField = component$<SearchFieldProps>((props) => {
  const input = useSignal<HTMLInputElement>()
  const clear = $(async () => {
    await writeBound(props, '')
    input.value?.focus()
  })
  const value = readBound(props.value)
  return (
    <span class={['relative block min-w-0', props.class ?? 'w-full sm:w-64']}>
      <span class="pointer-events-none absolute start-2.5 top-2.5 text-muted">
        <Icon name="search" />
      </span>
      <input
        ref={input}
        type="search"
        dir="auto"
        autoComplete="off"
        spellcheck={false}
        aria-label={props.label}
        placeholder={props.placeholder ?? props.label}
        data-filter-shortcut={props.shortcut ? '' : undefined}
        value={value}
        onInput$={(_, element) => writeBound(props, element.value)}
        onKeyDown$={(event) => (event.key === 'Escape' ? clear() : undefined)}
        class="kit-search kit-ease h-9 w-full rounded-md border border-edge bg-panel ps-8.5 pe-8.5 text-sm hover:border-control"
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear the filter"
          onClick$={clear}
          class="kit-ease absolute end-1 top-1 flex size-7 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-fg"
        >
          <Icon name="x" size={14} />
        </button>
      )}
    </span>
  )
})
