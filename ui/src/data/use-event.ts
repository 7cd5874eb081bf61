import { implicit$FirstArg, type QRL, useTask$ } from '@builder.io/qwik'
import { onEvent } from './events.ts'

type Receive = (payload: Readonly<Record<string, unknown>>) => void

export function useEventQrl(receive: QRL<Receive>, topic: string): void {
  useTask$(({ cleanup }) => {
    cleanup(onEvent(topic, (payload) => void receive(payload)))
  })
}

/** Runs for each event of the topic while the component is shown: `useEvent$((payload) => …, 'upload_progress_updated')`. */
export const useEvent$ = implicit$FirstArg(useEventQrl) as (receive: Receive, topic: string) => void
