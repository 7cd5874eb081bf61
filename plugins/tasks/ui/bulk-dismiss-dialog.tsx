import { $, component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Alert,
  type Answer,
  Confirm,
  call,
  Field,
  formatExactTime,
  formatPlural,
  invalidate,
  Select,
  Skeleton,
  toast,
  useAction$,
  useSearchParam,
} from '@svc/ui-kit'
import { LeftShort } from './left-short.tsx'
import { type Flow, failedOf } from './task-flow-policy.ts'

type Preview = Answer<'GET /tasks/acknowledge/preview'>

/** Dismisses exactly the failures that were counted: later ones stay. */
export const BulkDismissDialog = component$<{ open: Signal<boolean>; retrying: Signal<boolean>; flows: readonly Flow[] | undefined }>(
  (props) => {
    const listed = useSearchParam('type')
    const type = useSignal('')
    const preview = useSignal<Preview>()
    const count = useAction$(async (wanted: string) =>
      call('GET /tasks/acknowledge/preview', { query: wanted === '' ? {} : { type: wanted } }),
    )
    const dismiss = useAction$(async (wanted: string, asOf: string) =>
      // The time goes back as it came: its digits below a second decide which failures are meant.
      call('POST /tasks/acknowledge', { body: { ...(wanted === '' ? {} : { type: wanted }), failed_before: asOf } }),
    )
    const recount = $(async (wanted: string) => {
      preview.value = undefined
      const answer = await count.run(wanted)
      if (type.value === wanted) preview.value = answer
    })
    useTask$(({ track }) => {
      if (!track(() => props.open.value)) return
      type.value = listed.value
      void dismiss.reset()
      void recount(listed.value)
    })
    const confirm = $(async () => {
      const shown = preview.value
      const done = shown && (await dismiss.run(type.value, shown.as_of))
      if (!done) return
      props.open.value = false
      toast({ title: `${formatPlural(done.acknowledged, 'failure')} dismissed` })
      invalidate(['GET /tasks', 'GET /tasks/stats', 'GET /overview'])
    })
    const shown = preview.value
    return (
      <Confirm
        open={props.open}
        level="review"
        changes="POST /tasks/acknowledge"
        title="Dismiss failures"
        description="Dismissed failures no longer count as something that needs attention. The tasks stay listed until their retention ends."
        confirmLabel="Dismiss"
        pending={dismiss.isPending}
        lockedReason={lockedReason(shown)}
        error={(dismiss.error ?? count.error)?.message}
        onConfirm$={confirm}
      >
        <Field label="Type">
          <Select
            value={type}
            disabled={dismiss.isPending || count.isPending}
            onValue$={recount}
            options={typeOptions(props.flows ?? [], type.value)}
          />
        </Field>
        {shown ? (
          <Alert tone={shown?.count === 0 ? 'success' : 'info'} live>
            {shown.count === 0
              ? 'No failure waits to be dismissed.'
              : `${formatPlural(shown.count, 'failure')} up to ${formatExactTime(shown.as_of)}. Later failures stay.`}
          </Alert>
        ) : (
          props.open.value && !count.error && <Skeleton class="h-12 w-full" />
        )}
        {shown && shown.count > 0 && (
          <LeftShort
            onRetry$={() => {
              props.open.value = false
              props.retrying.value = true
            }}
          />
        )}
      </Confirm>
    )
  },
)

function lockedReason(preview: Preview | undefined): string | undefined {
  if (!preview) return 'The failures are being counted.'
  return preview.count === 0 ? 'No failure waits to be dismissed.' : undefined
}

function typeOptions(flows: readonly Flow[], chosen: string) {
  const shown = flows.filter((flow) => flow.failed > 0 || flow.type === chosen)
  return [
    { value: '', label: `All types (${formatPlural(failedOf(flows), 'failure')})` },
    ...shown.map(({ type, operation, failed }) => ({ value: type, label: `${operation} (${failed})` })),
  ]
}
