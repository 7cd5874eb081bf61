import { $, component$, type Signal, useTask$ } from '@builder.io/qwik'
import { Confirm, call, invalidate, toast, useAction$ } from '@svc/ui-kit'
import type { Replacement } from './words-policy.ts'

/** Resumes a replacement at the same provider. */
export const RetryDialog = component$<{ open: Signal<boolean>; replacement: Replacement }>((props) => {
  const retry = useAction$((id: string) => call('POST /storage-replacements/:id/retry', { params: { id }, body: {} }))
  useTask$(({ track }) => {
    if (track(() => props.open.value)) void retry.reset()
  })
  const confirm = $(async () => {
    const resumed = await retry.run(String(props.replacement.id))
    // A refusal too may mean that the replacement is in another state by now.
    invalidate(['GET /storage-replacements', 'GET /storage-replacements/:id', 'GET /buckets/:name', 'GET /overview'])
    if (!resumed) return
    props.open.value = false
    toast({ title: `Replacement ${resumed.id} continues` })
  })
  const { target, progress } = props.replacement
  return (
    <Confirm
      open={props.open}
      level="review"
      changes="POST /storage-replacements/:id/retry"
      title="Retry this replacement?"
      description="It continues where it stopped, at the provider that was confirmed. What was paid is not paid again."
      rows={[
        { label: 'Provider', to: target.provider_identity.name ?? `#${target.provider_id}` },
        {
          label: 'Stage',
          to:
            progress.phase === 'retire'
              ? 'End the old service'
              : progress.phase === 'migrate'
                ? 'Copy the contents'
                : 'Create the new service',
        },
      ]}
      confirmLabel="Retry"
      pending={retry.isPending}
      error={retry.error?.message}
      onConfirm$={confirm}
    />
  )
})
