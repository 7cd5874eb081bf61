import { type Signal, useSignal, useTask$ } from '@builder.io/qwik'

/** Opens with the name of the dialog in a shared signal; empties it when it closes. */
export function useDialog(dialog: Signal<string | undefined>, name: string): Signal<boolean> {
  const open = useSignal(false)
  useTask$(({ track }) => {
    open.value = track(() => dialog.value) === name
  })
  useTask$(({ track }) => {
    if (!track(() => open.value) && dialog.value === name) dialog.value = undefined
  })
  return open
}
