import { $, component$, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Alert,
  type ApiError,
  Checkbox,
  Confirm,
  call,
  formatExactTime,
  formatMoney,
  formatPlural,
  invalidate,
  Link,
  toast,
  useAction$,
} from '@svc/ui-kit'
import { describeOutcome, type GroupOutcome } from './describe-outcome.ts'
import { type Confirmation, followEntries, isOutdated, reasonTexts, repeatFee, type Shown } from './reason-policy.ts'

interface ReleaseDialogProps {
  open: Signal<boolean>
  attemptId: string
  /** Is undefined until the first answer. */
  entries: readonly Confirmation[] | undefined
  onClose$: QRL<() => void>
  onReload$: QRL<() => Promise<void>>
}

/** The entries that the dialog shows, whether the operator accepted them, and their release. */
function useRelease(props: ReleaseDialogProps) {
  const accepted = useSignal(false)
  const outcome = useSignal<GroupOutcome>()
  const shown = useSignal<Shown>({ entries: undefined, isChanged: false })
  const release = useAction$(async (entries: readonly Confirmation[]) => {
    try {
      // Each copy is looked up on the chain once more, and one that landed is refused.
      const answer = await call('POST /storage-confirmations/release', {
        body: { expected_attempt_id: entries[0]?.attempt_id ?? '', acknowledge_possible_duplicate: true },
      })
      if (answer.refused > 0 || answer.has_more) {
        accepted.value = false
        await props.onReload$()
      }
      return answer
    } catch (error) {
      if (isOutdated((error as ApiError).code)) {
        accepted.value = false
        await props.onReload$()
      }
      throw error
    }
  })
  useTask$(({ track }) => {
    const { open, attemptId } = track(() => ({ open: props.open.value, attemptId: props.attemptId }))
    // While it closes, it keeps what it showed.
    if (!open || attemptId === '') return
    accepted.value = false
    outcome.value = undefined
    shown.value = { entries: find(attemptId, props.entries), isChanged: false }
    void release.reset()
  })
  useTask$(({ track }) => {
    const listed = track(() => props.entries)
    if (!props.open.value || props.attemptId === '' || !listed) return
    const { entries, isChanged } = shown.value
    const next = entries
      ? followEntries({ entries, isChanged: false }, listed)
      : { entries: find(props.attemptId, listed), isChanged: false }
    if (next.isChanged) accepted.value = false
    shown.value = { ...next, isChanged: isChanged || next.isChanged }
  })
  return { accepted, shown, release, outcome }
}

/** Lets another attempt store the copies of one. A refusal reads the entries again, so that the operator decides on what is true now. */
export const ReleaseDialog = component$<ReleaseDialogProps>((props) => {
  const { accepted, shown, release, outcome } = useRelease(props)
  const confirm = $(async () => {
    const { entries = [] } = shown.value
    if (entries.length === 0 || !accepted.value) return
    outcome.value = undefined
    const answer = await release.run(entries)
    if (answer === undefined) return
    if (answer.released > 0) {
      toast({ title: `${formatPlural(answer.released, 'copy', 'copies')} released`, text: 'Another attempt stores them.' })
    }
    // What was refused stays in the dialog, with the reasons.
    if (answer.refused > 0 || answer.has_more) outcome.value = answer
    else props.open.value = false
    invalidate(['GET /storage-confirmations', 'GET /overview'])
  })
  const { entries, isChanged } = shown.value
  const [first] = entries ?? []
  return (
    <Confirm
      open={props.open}
      level="danger"
      changes="POST /storage-confirmations/release"
      title={`Release ${formatPlural(entries?.length ?? 0, 'copy', 'copies')}?`}
      description="The service gives the attempt up and stores the copies with another one. The attempt given up is never sent again, and is looked up until it is decided. Waiting costs nothing."
      rows={first && rowsOf(first, entries ?? [])}
      confirmLabel="Release"
      pending={release.isPending}
      lockedReason={
        first ? (accepted.value ? undefined : 'Accept first that the copies may be paid twice.') : 'There is nothing to release.'
      }
      error={release.error?.message}
      onConfirm$={confirm}
      onClose$={props.onClose$}
    >
      {entries?.length === 0 ? (
        <Alert tone="success" title="Nothing here needs a decision any more">
          The outcome is known, or the copies were released. Close this dialog.
        </Alert>
      ) : (
        <>
          {outcome.value && (
            <Alert tone="warning" title="Not all copies were released" live>
              {describeOutcome(outcome.value)}
            </Alert>
          )}
          {isChanged && (
            <Alert tone="info" title="The facts have changed" live>
              This dialog now shows another attempt, or newer facts of it. Read them again before you accept.
            </Alert>
          )}
          {first && <Alert tone="warning">{reasonTexts[first.reason_code]}</Alert>}
          {first && (
            <p class="text-sm">
              <Link to="/tasks" query={{ type: 'storage_commit' }} class="text-accent hover:underline">
                Show the tasks that confirm storage
              </Link>
            </p>
          )}
          <Checkbox
            value={accepted}
            name="accept-duplicate"
            label="The copies may be submitted and paid twice"
            help="If the attempt given up still reaches the chain, both copies are paid until the service removes the surplus one."
            disabled={release.isPending}
          />
        </>
      )}
    </Confirm>
  )
})

const find = (attemptId: string, entries: readonly Confirmation[] | undefined): readonly Confirmation[] | undefined =>
  entries?.filter((entry) => entry.attempt_id === attemptId)

const listedMax = 5

function rowsOf(first: Confirmation, entries: readonly Confirmation[]) {
  const fee = repeatFee(entries)
  const names = entries.slice(0, listedMax).map(({ object_key, content_id }) => object_key ?? `content ${content_id}`)
  const more = entries.length > listedMax ? ` and ${entries.length - listedMax} more` : ''
  return [
    { label: 'Objects', to: `${names.join(', ')}${more}` },
    { label: 'Bucket', to: first.bucket },
    { label: 'Replica', to: `${first.copy_index + 1} at provider #${first.provider_id}` },
    { label: 'Data set', to: first.data_set_id === undefined ? 'Being created' : `#${first.data_set_id}` },
    { label: 'Attempt', to: first.attempt_id },
    { label: 'Transaction', to: first.transaction_id ?? 'None known' },
    { label: 'Attempted', to: formatExactTime(first.attempted_at) },
    { label: 'Storing again', to: fee === undefined ? 'The prices cannot be read now' : `${formatMoney(fee, { up: true })} USDFC of fees` },
  ]
}
