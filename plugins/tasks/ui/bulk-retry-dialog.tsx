import { $, component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Alert,
  type Answer,
  Confirm,
  call,
  formatExactTime,
  formatPlural,
  invalidate,
  Skeleton,
  toast,
  useAction$,
  useSearchParam,
} from '@svc/ui-kit'

type Preview = Answer<'GET /tasks/retry/preview'>

/** Retries exactly the failures that were counted, of the type that is listed or of all types. */
export const BulkRetryDialog = component$<{ open: Signal<boolean> }>((props) => {
  const listed = useSearchParam('type')
  const preview = useSignal<Preview>()
  const count = useAction$(async (type: string) => call('GET /tasks/retry/preview', { query: type === '' ? {} : { type } }))
  const retry = useAction$(async (type: string, asOf: string) => {
    // The time goes back as it came: its digits below a second decide which failures are meant.
    const body = { ...(type === '' ? {} : { type }), failed_before: asOf }
    let done = await call('POST /tasks/retry', { body })
    for (let retried = done.retried; done.has_more; retried = done.retried) {
      const next = await call('POST /tasks/retry', { body })
      done = { ...next, retried: retried + next.retried }
    }
    return done
  })
  useTask$(({ track }) => {
    if (!track(() => props.open.value)) return
    preview.value = undefined
    void retry.reset()
    void count.run(listed.value).then((answer) => {
      preview.value = answer
    })
  })
  const confirm = $(async () => {
    const shown = preview.value
    const done = shown && (await retry.run(listed.value, shown.as_of))
    if (!done) return
    props.open.value = false
    toast({
      title: `${formatPlural(done.retried, 'task runs', 'tasks run')} again`,
      ...(done.refused > 0 && { text: `${formatPlural(done.refused, 'failure')} could not be retried.` }),
    })
    invalidate(['GET /tasks', 'GET /tasks/stats', 'GET /overview', 'GET /below-target', 'GET /below-target/causes'])
  })
  const shown = preview.value
  const kinds = shown?.kinds.filter(({ retry_effect }) => retry_effect) ?? []
  const left = shown?.kinds.filter(({ retry_effect }) => !retry_effect) ?? []
  const total = kinds.reduce((sum, kind) => sum + kind.count, 0)
  return (
    <Confirm
      open={props.open}
      level="review"
      changes="POST /tasks/retry"
      title="Retry failures"
      description="Each task starts again with all its attempts. Remove the cause first, or they fail again."
      rows={kinds.map(({ operation, count, retry_effect }) => ({ label: `${operation} (${count})`, to: retry_effect?.text ?? '' }))}
      confirmLabel={total > 0 ? `Retry ${formatPlural(total, 'task')}` : 'Retry'}
      pending={retry.isPending}
      lockedReason={!shown ? 'The failures are being counted.' : total === 0 ? 'No failure can be retried together.' : undefined}
      error={(retry.error ?? count.error)?.message}
      onConfirm$={confirm}
    >
      {!shown && props.open.value && !count.error && <Skeleton class="h-12 w-full" />}
      {shown && <p class="text-xs text-muted">Failures up to {formatExactTime(shown.as_of)}. Later ones stay.</p>}
      {left.length > 0 && (
        <Alert tone="info">
          Not retried together, as a retry is not possible or deletes permanently:{' '}
          {left.map(({ operation, count }) => `${operation} (${count})`).join(', ')}.
        </Alert>
      )}
    </Confirm>
  )
})
