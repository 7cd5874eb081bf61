import { component$ } from '@builder.io/qwik'

/** A key or a combination: `keys={['Ctrl', 'K']}`. */
export const Kbd = component$<{ keys: readonly string[] }>(({ keys }) => (
  <span class="inline-flex gap-1 align-middle">
    {keys.map((key) => (
      <kbd key={key} class="rounded-sm border border-b-2 bg-panel px-1.5 font-sans text-2xs font-medium text-muted">
        {key}
      </kbd>
    ))}
  </span>
))
