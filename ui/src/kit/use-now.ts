import { type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { listenToClock } from './clock.ts'

/** The present, renewed every 10 s. */
export const useNow = (): Readonly<Signal<number>> => {
  const now = useSignal(Date.now())
  useTask$(({ cleanup }) => {
    const end = listenToClock((time) => {
      now.value = time
    })
    cleanup(end)
  })
  return now
}
