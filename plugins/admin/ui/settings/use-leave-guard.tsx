import { $, component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Confirm, go, guardLeaving } from '@svc/ui-kit'
import { listChanges, type Settings } from './draft-policy.ts'
import type { SettingsForm } from './settings-form.ts'

interface LeaveGuard {
  readonly open: Signal<boolean>
  readonly to: Signal<string>
}

/** Keeps the page while it holds unsaved changes, and asks. */
export function useLeaveGuard(query: { readonly data: Settings | undefined }, form: SettingsForm): LeaveGuard {
  const open = useSignal(false)
  const to = useSignal('')
  useTask$(({ cleanup }) => {
    const isDirty = () => query.data !== undefined && listChanges(query.data, form.drafts).length > 0
    const warn = (event: BeforeUnloadEvent) => {
      if (isDirty()) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    cleanup(() => removeEventListener('beforeunload', warn))
    const end = guardLeaving((wanted) => {
      if (!isDirty()) return false
      to.value = wanted
      open.value = true
      return true
    })
    cleanup(end)
  })
  return { open, to }
}

export const LeaveDialog = component$<{ guard: LeaveGuard; form: SettingsForm }>((props) => {
  const leave = $(() => {
    props.form.drafts = {}
    props.guard.open.value = false
    go(props.guard.to.value)
  })
  return (
    <Confirm
      open={props.guard.open}
      level="danger"
      title="Leave without saving?"
      description="The changes on this page are lost."
      confirmLabel="Discard and leave"
      onConfirm$={leave}
    />
  )
})
