/**
 * The command palette without its look. Plain listeners in eager code: typing and Enter at any speed act on what is written, not on an
 * earlier rendering.
 */
import { pluginUis } from 'virtual:svc-plugin-uis'
import { Observable } from '../data/observable.ts'
import { refusalOf } from '../data/refusals.ts'
import { boot, enabledPlugins, session } from '../data/session.ts'
import type { PaletteCommand } from '../plugin-ui.ts'
import { go } from '../router/location.ts'
import { filterCommands } from './palette-policy.ts'
import { menuEntries, partsOf } from './parts.ts'
import { signOutOrSay } from './session/sign-out.ts'
import { chooseTheme } from './theme.ts'

export const paletteIds = { dialog: 'palette', input: 'palette-input', list: 'palette-list' } as const

interface PaletteView {
  readonly found: readonly PaletteCommand[]
  /** Index of the marked command. */
  readonly at: number
}

export const paletteView = new Observable<PaletteView>({ found: [], at: 0 })

const searchAfterMs = 150
let searched: { readonly text: string; readonly commands: readonly PaletteCommand[] } = { text: '', commands: [] }
let timer: ReturnType<typeof setTimeout> | undefined

const dialog = (): HTMLDialogElement | null => document.querySelector<HTMLDialogElement>(`#${paletteIds.dialog}`)
const input = (): HTMLInputElement | null => document.querySelector<HTMLInputElement>(`#${paletteIds.input}`)

export function togglePalette(): void {
  const element = dialog()
  if (!element) return
  if (element.open) {
    element.close()
    return
  }
  const field = input()
  if (field) field.value = ''
  show(0)
  element.showModal()
  field?.focus()
}

/** Called once, before the first render. */
export function startPalette(): void {
  document.addEventListener('input', ({ target }) => {
    if (target !== input()) return
    show(0)
    clearTimeout(timer)
    timer = setTimeout(search, searchAfterMs)
  })
  document.addEventListener('keydown', (event) => {
    if (event.target !== input() || event.isComposing) return
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Enter') runCommand(findNow()[paletteView.value.at])
    else return
    event.preventDefault()
  })
  document.addEventListener('click', (event) => {
    const element = dialog()
    if (event.target === element) element?.close()
    const option = event.target instanceof Element ? event.target.closest<HTMLElement>(`#${paletteIds.list} [data-at]`) : null
    if (option) runCommand(paletteView.value.found[Number(option.dataset.at)])
  })
}

function runCommand(command: PaletteCommand | undefined): void {
  if (!command) return
  dialog()?.close()
  if (command.to !== undefined) go(command.to)
  void command.run?.()
}

function move(step: 1 | -1): void {
  const { found, at } = paletteView.value
  if (found.length > 0) paletteView.value = { found, at: (at + step + found.length) % found.length }
}

const show = (at: number): void => {
  paletteView.value = { found: findNow(), at }
}

function findNow(): readonly PaletteCommand[] {
  const text = input()?.value ?? ''
  // Found by the service, so they fit; names come after pages and commands.
  const more = searched.text === text.trim() ? searched.commands : []
  return [...filterCommands(allCommands(), text), ...more]
}

function allCommands(): readonly PaletteCommand[] {
  const pages = menuEntries().map(({ to, label, icon, key }) => ({ label, icon, to, keywords: `page go to ${key ?? ''}` }))
  const own = boot.value === 'ready' ? partsOf('commands', enabledPlugins.value).filter(({ changes }) => !refusalOf(changes)) : []
  return [...pages, ...own, ...builtIn()]
}

const builtIn = (): readonly PaletteCommand[] => [
  { label: 'Theme: system', icon: 'monitor', keywords: 'appearance', run: () => chooseTheme('system') },
  { label: 'Theme: light', icon: 'sun', keywords: 'appearance', run: () => chooseTheme('light') },
  { label: 'Theme: dark', icon: 'moon', keywords: 'appearance', run: () => chooseTheme('dark') },
  ...(session.value ? [{ label: 'Sign out', icon: 'log-out', keywords: 'log out leave', run: signOutOrSay } as const] : []),
]

async function search(): Promise<void> {
  const text = input()?.value.trim() ?? ''
  if (text === '' || boot.value !== 'ready') return
  const searches = pluginUis.filter(({ plugin, ui }) => ui.search && enabledPlugins.value?.has(plugin))
  // A search that fails finds nothing; pages and commands are still there.
  const answers = await Promise.allSettled(searches.map(({ ui }) => ui.search?.(text) ?? []))
  if (input()?.value.trim() !== text) return
  searched = { text, commands: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])) }
  show(paletteView.value.at)
}
