import { isSignal, type QRL, type Signal } from '@builder.io/qwik'

/**
 * Value of a form control: a signal that the control writes, or a plain value that `onValue$` is told about.
 * `onValue$` is called in both cases.
 */
export interface BoundProps<T> {
  value: Signal<T> | T
  onValue$?: QRL<(value: T) => void> | undefined
}

export const readBound = <T>(value: Signal<T> | T): T => (isSignal<T>(value) ? value.value : value)

export async function writeBound<T>({ value, onValue$ }: BoundProps<T>, next: T): Promise<void> {
  if (isSignal<T>(value)) value.value = next
  await onValue$?.(next)
}
