import { component$ } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { Icon } from '../kit/icon.tsx'
import { Kbd } from '../kit/kbd.tsx'
import { paletteIds, paletteView } from './palette.ts'

/** The look of the command palette; palette.ts does the work. */
export const Palette = component$(() => {
  const view = useObservable(paletteView)
  const { found, at } = view.value
  return (
    <dialog
      id={paletteIds.dialog}
      aria-label="Command palette"
      class="kit-rise fixed mx-auto mt-[15dvh] mb-auto w-140 max-w-[calc(100vw-24px)] overflow-hidden rounded-lg p-0"
    >
      <div class="flex items-center gap-3 border-b px-4">
        <Icon name="search" class="text-muted" />
        <input
          id={paletteIds.input}
          role="combobox"
          aria-label="Find a page or a command"
          aria-expanded="true"
          aria-controls={paletteIds.list}
          aria-activedescendant={found.length > 0 ? `${paletteIds.list}-${at}` : undefined}
          autoComplete="off"
          spellcheck={false}
          placeholder="Type a page, a bucket/prefix or a setting"
          class="h-12 min-w-0 flex-1 bg-transparent outline-none"
        />
        <Kbd keys={['Esc']} />
      </div>
      <div id={paletteIds.list} role="listbox" aria-label="Commands" class="max-h-80 overflow-y-auto p-1.5">
        {found.map(({ label, icon, to, keywords }, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
          <div
            key={`${label} ${to}`}
            id={`${paletteIds.list}-${index}`}
            role="option"
            aria-selected={index === at}
            data-at={index}
            class={[
              'flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 text-sm',
              index === at ? 'bg-sunken' : 'hover:bg-sunken/60',
            ]}
          >
            <Icon name={icon ?? 'arrow-right'} class="text-muted" />
            <span class="min-w-0 flex-1 truncate">
              <bdi>{label}</bdi>
            </span>
            <span class="text-xs text-muted">{to ? (keywords?.startsWith('page') ? 'Page' : 'Go to') : 'Command'}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="px-4 pb-4 text-sm text-muted">Nothing found.</p>}
    </dialog>
  )
})
