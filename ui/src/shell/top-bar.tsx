import { $, component$ } from '@builder.io/qwik'
import { isReachable } from '../data/call.ts'
import { isLive } from '../data/events.ts'
import { useObservable } from '../data/observable.ts'
import { session } from '../data/session.ts'
import { Badge } from '../kit/badge.tsx'
import { IconButton } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { Kbd } from '../kit/kbd.tsx'
import { Menu } from '../kit/menu.tsx'
import type { Tone } from '../kit/tone.ts'
import { togglePalette } from './palette.ts'
import { signOutOrSay } from './session/sign-out.ts'
import { isHelpOpen } from './shortcuts.ts'
import { drawerId } from './sidebar.tsx'

export const TopBar = component$<{ isSetup: boolean }>(({ isSetup }) => (
  <header class="sticky top-0 z-20 flex h-13 shrink-0 items-center gap-2 border-b bg-bg/90 px-3 backdrop-blur sm:px-6">
    <IconButton
      icon="menu"
      label="Open the menu"
      class="lg:hidden"
      onClick$={() => {
        const drawer = document.getElementById(drawerId)
        if (drawer instanceof HTMLDialogElement) drawer.showModal()
      }}
    />
    <button
      type="button"
      onClick$={() => togglePalette()}
      class="kit-ease flex h-9 min-w-0 items-center gap-2.5 rounded-md border bg-panel px-3 text-left text-sm text-muted hover:border-edge sm:w-72"
    >
      <Icon name="search" />
      <span class="min-w-0 flex-1 truncate">Search or jump to</span>
      <span class="hidden sm:inline">
        <Kbd keys={['Ctrl', 'K']} />
      </span>
    </button>
    <div class="ml-auto flex items-center gap-2">
      {isSetup ? <Badge tone="warning">Setup mode</Badge> : <LiveBadge />}
      <UserMenu />
    </div>
  </header>
))

const states: Readonly<Record<'live' | 'polling' | 'offline', readonly [tone: Tone, word: string, title: string]>> = {
  live: ['success', 'Live', 'Changes appear as they happen.'],
  polling: ['warning', 'Polling', 'The event stream is interrupted; the pages ask every few seconds.'],
  offline: ['danger', 'Offline', 'The service does not answer. The pages show what they last heard, and continue when it is back.'],
}

/** Whether the page shows the present. */
const LiveBadge = component$(() => {
  const live = useObservable(isLive)
  const reachable = useObservable(isReachable)
  const [tone, word, title] = states[!reachable.value ? 'offline' : live.value === 'live' ? 'live' : 'polling']
  return (
    <span role="status">
      <Badge tone={tone} title={title}>
        {word}
      </Badge>
    </span>
  )
})

const UserMenu = component$(() => {
  const current = useObservable(session)
  const items = [
    { id: 'help', label: 'Keyboard shortcuts', icon: 'keyboard' } as const,
    { id: 'rows', label: 'Compact rows' } as const,
    ...(current.value ? [{ id: 'out', label: 'Sign out', icon: 'log-out', separated: true } as const] : []),
  ]
  return (
    <Menu
      label={current.value ? `Account ${current.value.username}` : 'More'}
      icon="user"
      items={items}
      onChoose$={$((id: string) => {
        if (id === 'out') return signOutOrSay()
        if (id === 'rows') return import('./density.ts').then(({ toggleDensity }) => toggleDensity())
        isHelpOpen.value = true
        return undefined
      })}
    />
  )
})
