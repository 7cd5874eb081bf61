import { $, implicit$FirstArg, noSerialize, type QRL, useStore } from '@builder.io/qwik'
import { ApiError } from './api-error.ts'

interface Action<I extends readonly unknown[], T> {
  readonly isPending: boolean
  /** Error of the latest run. */
  readonly error: ApiError | undefined
  /** Resolves to the result, or to undefined after an error or while another run is pending. */
  readonly run: QRL<(...input: I) => Promise<T | undefined>>
  readonly reset: QRL<() => void>
}

export function useActionQrl<I extends readonly unknown[], T>(act: QRL<(...input: I) => Promise<T>>): Action<I, T> {
  const state = useStore({ isPending: false, error: undefined as ApiError | undefined }, { deep: false })
  const run = $(async (...input: I): Promise<T | undefined> => {
    // A double click sends once.
    if (state.isPending) return undefined
    state.isPending = true
    state.error = undefined
    try {
      return await (act as unknown as (...input: I) => Promise<T>)(...input)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // The shell asks for the password above the form; after it, a refusal that is out of date would still stand there.
      if (error.status !== 401) state.error = noSerialize(error) as ApiError
      return undefined
    } finally {
      state.isPending = false
    }
  })
  const reset = $(() => {
    state.error = undefined
  })
  return Object.assign(state, { run, reset }) as unknown as Action<I, T>
}

/** A change through the Admin API: `const save = useAction$(async (name: string) => call('PUT …', …))`, then `onClick$={() => save.run('x')}`. */
export const useAction$ = implicit$FirstArg(useActionQrl) as <I extends readonly unknown[], T>(
  act: (...input: I) => Promise<T>,
) => Action<I, T>
