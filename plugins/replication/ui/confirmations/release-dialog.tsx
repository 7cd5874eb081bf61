import { $, component$, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, type ApiError, Checkbox, Confirm, call, formatExactTime, invalidate, Link, toast, useAction$ } from '@svc/ui-kit'
import { type Confirmation, followEntry, isOutdated, reasonTexts, type Shown } from './reason-policy.ts'

interface ReleaseDialogProps {
  open: Signal<boolean>
  copyId: string
  /** Is undefined until the first answer. */
  entries: readonly Confirmation[] | undefined
  onClose$: QRL<() => void>
  onReload$: QRL<() => Promise<void>>
}

/** Lets another attempt store a copy. A refusal reads the entry again, so that the operator decides on what is true now. */
export const ReleaseDialog = component$<ReleaseDialogProps>((props) => {
  const accepted = useSignal(false)
  const shown = useSignal<Shown>({ entry: undefined, isChanged: false })
  const release = useAction$(async (copyId: number, attemptId: string) => {
    try {
      return await call('POST /storage-confirmations/:copyId/release', {
        params: { copyId: String(copyId) },
        body: { expected_attempt_id: attemptId, acknowledge_possible_duplicate: true },
      })
    } catch (error) {
      if (isOutdated((error as ApiError).code)) {
        accepted.value = false
        await props.onReload$()
      }
      throw error
    }
  })
  useTask$(({ track }) => {
    const { open, copyId } = track(() => ({ open: props.open.value, copyId: props.copyId }))
    // While it closes, it keeps what it showed.
    if (!open || copyId === '') return
    accepted.value = false
    shown.value = { entry: find(copyId, props.entries), isChanged: false }
    void release.reset()
  })
  useTask$(({ track }) => {
    const entries = track(() => props.entries)
    if (!props.open.value || props.copyId === '') return
    const next = followEntry(shown.value, find(props.copyId, entries))
    if (next.entry !== shown.value.entry) accepted.value = false
    shown.value = next
  })
  const confirm = $(async () => {
    const { entry } = shown.value
    if (!entry || !accepted.value || !(await release.run(entry.copy_id, entry.attempt_id))) return
    props.open.value = false
    toast({ title: `Copy ${entry.copy_id} released`, text: 'Another attempt stores it.' })
    invalidate(['GET /storage-confirmations', 'GET /overview'])
  })
  const { entry, isChanged } = shown.value
  const isGone = props.entries !== undefined && entry === undefined
  return (
    <Confirm
      open={props.open}
      level="danger"
      title={`Release copy ${props.copyId}?`}
      description="The service gives the attempt up and stores the copy with another one. The attempt given up is never sent again, and is looked up until it is decided."
      rows={entry && rowsOf(entry)}
      confirmLabel="Release"
      pending={release.isPending}
      lockedReason={lockedReason(entry, accepted.value)}
      error={release.error?.message}
      onConfirm$={confirm}
      onClose$={props.onClose$}
    >
      {isGone ? (
        <Alert tone="success" title="This copy no longer needs a decision">
          Its outcome is known, or it was released. Close this dialog.
        </Alert>
      ) : (
        <>
          {entry && isChanged && (
            <Alert tone="info" title="The facts have changed" live>
              This dialog now shows another attempt, or newer facts of it. Read them again before you accept.
            </Alert>
          )}
          {entry && <Alert tone="warning">{reasonTexts[entry.reason_code]}</Alert>}
          {entry && (
            <p class="text-sm">
              <Link to="/tasks" query={{ type: 'storage_commit' }} class="text-accent hover:underline">
                Show the tasks that confirm storage
              </Link>
            </p>
          )}
          <Checkbox
            value={accepted}
            name="accept-duplicate"
            label="The copy may be submitted and paid twice"
            help="If the attempt given up still reaches the chain, both copies are paid until the service removes the surplus one."
            disabled={release.isPending}
          />
        </>
      )}
    </Confirm>
  )
})

const find = (copyId: string, entries: readonly Confirmation[] | undefined): Confirmation | undefined =>
  entries?.find((entry) => String(entry.copy_id) === copyId)

function lockedReason(entry: Confirmation | undefined, isAccepted: boolean): string | undefined {
  if (!entry) return 'There is nothing to release.'
  return isAccepted ? undefined : 'Accept first that the copy may be paid twice.'
}

const rowsOf = (entry: Confirmation) => [
  { label: 'Copy', to: `#${entry.copy_id}, replica ${entry.copy_index + 1} of content ${entry.content_id}` },
  { label: 'Data set', to: entry.data_set_id === undefined ? 'Being created' : `#${entry.data_set_id}` },
  { label: 'Provider', to: `#${entry.provider_id}` },
  { label: 'Attempt', to: entry.attempt_id },
  { label: 'Transaction', to: entry.transaction_id ?? 'None known' },
  { label: 'Attempted', to: formatExactTime(entry.attempted_at) },
]
