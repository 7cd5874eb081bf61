import { $, component$, type Signal, useSignal } from '@builder.io/qwik'
import { absent } from './format/absent.ts'
import { shortenId, shortenKey, showHidden } from './format/ids.ts'
import { Icon } from './icon.tsx'

interface CopyButtonProps {
  text: string
  /** What is copied: `data set id`. */
  label: string
}

type CopyState = 'ready' | 'copied' | 'refused'
const copyIcons = { ready: 'copy', copied: 'check', refused: 'x' } as const
const shownMs = 1500

/** Copies a text and says whether it worked. */
export const CopyButton = component$<CopyButtonProps>(({ text, label }) => {
  const state = useSignal<CopyState>('ready')
  const copy = $(() => copyText(text, state))
  return (
    <button
      type="button"
      aria-label={`Copy ${label}`}
      data-tooltip={`Copy ${label}`}
      onClick$={copy}
      class={[
        'kit-ease inline-flex size-6 shrink-0 items-center justify-center rounded-sm align-middle hover:bg-sunken hover:text-fg',
        state.value === 'copied' ? 'text-success' : 'text-muted',
      ]}
    >
      <Icon name={copyIcons[state.value]} size={14} />
      <span role="status" class="sr-only">
        {state.value === 'copied' && 'Copied'}
        {state.value === 'refused' && 'The browser refused to copy'}
      </span>
    </button>
  )
})

async function copyText(text: string, state: Signal<CopyState>): Promise<void> {
  state.value = (await writeClipboard(text)) ? 'copied' : 'refused'
  setTimeout(() => {
    state.value = 'ready'
  }, shownMs)
}

/** False when the browser refused. The clipboard is absent on plain http other than loopback: a selection and the older command work there. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelection(text)
  }
}

function copySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  // What is below the last modal dialog is inert.
  const home = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body
  home.append(area)
  const before = document.activeElement
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}

interface CopyableProps {
  /** Absent shows a dash. */
  text: string | null | undefined
  label: string
  /** Letters kept at each end; 6 by default. */
  keep?: number | undefined
}

/** A long id, shortened, with a copy button; all of it in the title. */
export const Copyable = component$<CopyableProps>(({ text, label, keep }) =>
  text ? (
    <span class="inline-flex min-w-0 max-w-full items-center gap-0.5">
      <code title={showHidden(text)} class="truncate font-mono text-xs">
        <bdi>{showHidden(shortenId(text, keep))}</bdi>
      </code>
      <CopyButton text={text} label={label} />
    </span>
  ) : (
    <span class="text-muted">{absent}</span>
  ),
)

interface KeyTextProps {
  /** An object key or a name from outside: any letters at all. */
  text: string
  /** Wraps instead of being cut at the end of the line. */
  wrap?: boolean | undefined
}

/** A key as text: its direction stays inside, hidden letters are visible, all of it is in the title. */
export const KeyText = ({ text, wrap }: KeyTextProps) => (
  <bdi
    title={showHidden(text)}
    class={['max-w-full align-bottom', wrap ? '[overflow-wrap:anywhere]' : 'inline-block truncate whitespace-pre']}
  >
    {showHidden(wrap ? text : shortenKey(text))}
  </bdi>
)
