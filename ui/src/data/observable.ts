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
  const signal = useSignal<{ readonly value: T }>({ value: observable.value })
  const hidden = noSerialize({ observable })
  useTask$(({ cleanup }) => {
    const source = hidden?.observable
    if (!source) return
    // It may have changed between the first render and this task.
    signal.value = noSerialize({ value: source.value }) ?? { value: source.value }
    cleanup(
      source.subscribe((value) => {
        signal.value = noSerialize({ value }) ?? { value }
      }),
    )
  })
  return {
    get value() {
      return signal.value.value
    },
  }
}
