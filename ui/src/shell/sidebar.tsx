import { component$ } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { boot, enabledPlugins } from '../data/session.ts'
import { IconButton } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import type { NavEntry } from '../plugin-ui.ts'
import { address } from '../router/location.ts'
import { Logo } from './logo.tsx'
import { groupMenu, isCurrent } from './menu-policy.ts'
import { menuEntries } from './parts.ts'
import { isSidebarFolded } from './shortcuts.ts'
import { ThemeSwitch } from './theme-switch.tsx'

export const drawerId = 'menu-drawer'

/** The menu: a column, folded to icons on demand; on narrow screens a drawer. */
export const Sidebar = component$(() => {
  const isFolded = useObservable(isSidebarFolded)
  return (
    <>
      <aside class={['sticky top-0 hidden h-dvh shrink-0 flex-col border-r bg-panel px-3 py-3 lg:flex', isFolded.value ? 'w-16' : 'w-56']}>
        <Brand isFolded={isFolded.value} />
        <NavList isFolded={isFolded.value} />
        <div class={['mt-auto flex items-center gap-1 pt-3', isFolded.value ? 'flex-col' : 'justify-between']}>
          {!isFolded.value && <ThemeSwitch />}
          <IconButton
            icon="panel-left"
            size="sm"
            label={isFolded.value ? 'Unfold the menu' : 'Fold the menu'}
            aria-pressed={isFolded.value ? 'true' : 'false'}
            onClick$={() => {
              isSidebarFolded.value = !isSidebarFolded.value
            }}
          />
        </div>
      </aside>
      <dialog
        id={drawerId}
        aria-label="Menu"
        data-light-dismiss=""
        class="fixed inset-y-0 left-0 m-0 h-dvh max-h-none w-72 max-w-[85vw] flex-col border-y-0 border-l-0 p-3 open:flex lg:hidden"
      >
        <div class="flex items-center justify-between">
          <Brand isFolded={false} />
          <form method="dialog">
            <IconButton icon="x" label="Close the menu" size="sm" type="submit" />
          </form>
        </div>
        <NavList isFolded={false} />
        <div class="mt-auto pt-3">
          <ThemeSwitch />
        </div>
      </dialog>
    </>
  )
})

const Brand = component$<{ isFolded: boolean }>(({ isFolded }) => (
  <a href="/" aria-label="svc, overview" class={['flex h-9 items-center gap-2.5 rounded-md', isFolded ? 'justify-center' : 'px-2']}>
    <Logo size={24} />
    {!isFolded && <span class="text-base font-semibold tracking-tight">svc</span>}
  </a>
))

const NavList = component$<{ isFolded: boolean }>(({ isFolded }) => {
  const current = useObservable(address)
  // Both decide what the menu has.
  const enabled = useObservable(enabledPlugins)
  const phase = useObservable(boot)
  const groups = enabled.value || phase.value === 'setup' ? groupMenu(menuEntries()) : []
  const path = current.value.split('?')[0] ?? '/'
  return (
    <nav aria-label="Main" class="mt-3 flex min-h-0 flex-col gap-4 overflow-y-auto">
      {groups.map(({ group, entries }) => (
        <div key={group ?? ''}>
          {group && !isFolded && <h2 class="px-2.5 pb-1 text-2xs font-medium text-muted">{group}</h2>}
          <ul class="flex flex-col gap-0.5">
            {entries.map((entry) => (
              <li key={entry.to}>
                <NavLink entry={entry} isFolded={isFolded} isHere={isCurrent(entry.to, path)} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
})

const NavLink = component$<{ entry: NavEntry; isFolded: boolean; isHere: boolean }>(({ entry, isFolded, isHere }) => {
  const Count = entry.badge
  return (
    <a
      href={entry.to}
      aria-current={isHere ? 'page' : undefined}
      aria-label={isFolded ? entry.label : undefined}
      data-tooltip={isFolded ? entry.label : undefined}
      class={[
        'kit-ease flex h-8.5 items-center gap-2.5 rounded-md text-sm',
        isFolded ? 'justify-center' : 'px-2.5',
        isHere ? 'bg-accent-soft font-medium text-fg' : 'text-muted hover:bg-sunken hover:text-fg',
      ]}
    >
      <Icon name={entry.icon} size={17} class={isHere ? 'text-accent' : undefined} />
      {!isFolded && <span class="min-w-0 flex-1 truncate">{entry.label}</span>}
      {!isFolded && Count && <Count />}
    </a>
  )
})
