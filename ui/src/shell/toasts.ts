import { Observable } from '../data/observable.ts'
import { onSignOut } from '../data/session.ts'
import type { Tone } from '../kit/tone.ts'

export interface Toast {
  readonly id: number
  readonly tone: Tone
  readonly title: string
  readonly text?: string | undefined
  /** A link to what it is about. */
  readonly to?: string | undefined
  readonly toLabel?: string | undefined
}

const shownMax = 4
const shownMs = 6000

export const toasts = new Observable<readonly Toast[]>([])
let lastId = 0

/** Says what happened. Errors stay until they are dismissed; the others leave after 6 s. */
export function toast(facts: Omit<Toast, 'id' | 'tone'> & { readonly tone?: Tone }): void {
  lastId += 1
  const added: Toast = { tone: 'success', ...facts, id: lastId }
  toasts.value = [...toasts.value, added].slice(-shownMax)
  if (added.tone !== 'danger') setTimeout(() => dismissToast(added.id), shownMs)
}

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id)
}

/** The next operator must not see them. */
onSignOut(() => {
  toasts.value = []
})
