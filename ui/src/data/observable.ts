import { noSerialize, type ReadonlySignal, useSignal, useTask$ } from '@builder.io/qwik'

/** A value outside of the components, such as the session: one per browser tab. */
export class Observable<T> {
  #value: T
  readonly #listeners = new Set<(value: T) => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set value(value: T) {
    if (value === this.#value) return
    this.#value = value
    for (const listener of this.#listeners) listener(value)
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** The value as a signal of the component. Values are replaced, never changed in place. */
export function useObservable<T>(observable: Observable<T>): ReadonlySignal<T> {
  const signal = useSignal<T>(() => hold(observable.value))
  const source = noSerialize({ observable })
  useTask$(({ cleanup }) => {
    if (!source) return
    // It may have changed between the first drawing and this task.
    signal.value = hold(source.observable.value)
    cleanup(
      source.observable.subscribe((value) => {
        signal.value = hold(value)
      }),
    )
  })
  return signal
}

/** Nothing of the dashboard is ever serialized into a page, and Qwik must not try it. */
export const hold = <T>(value: T): T => (typeof value === 'object' && value !== null ? (noSerialize(value) as T) : value)
