import { component$, type QRL, useSignal, useTask$ } from '@builder.io/qwik'
import { Button, call, ErrorAlert, formatBytes, formatPlural, useAction$ } from '@svc/ui-kit'
import type { BulkPreview } from '../bulk/bulk-texts.ts'

interface TrashSummaryProps {
  bucket: string
  /** Counts again when it changes. */
  version: string
  onEmpty$: QRL<() => void>
}

/** What the trash holds, and a button that empties it; nothing while it is empty. */
export const TrashSummary = component$<TrashSummaryProps>((props) => {
  const sum = useSignal<BulkPreview>()
  const count = useAction$(async () => {
    sum.value = await call('POST /buckets/:name/bulk-actions/preview', {
      params: { name: props.bucket },
      body: { action: 'delete_permanently', targets: [{ prefix: '' }] },
    })
  })
  useTask$(({ track }) => {
    track(() => props.version)
    void count.run()
  })
  const { objects = 0, versions = 0, bytes = '0' } = sum.value ?? {}
  if (count.error) return <ErrorAlert error={count.error} onRetry$={count.run} class="mb-3" />
  if (objects === 0) return null
  return (
    <div class="mb-3 flex flex-wrap items-center justify-between gap-3 rounded-md border bg-panel px-4 py-3 text-sm">
      <p>
        <strong class="font-semibold">{formatPlural(objects, 'object')}</strong> with {formatPlural(versions, 'version')},{' '}
        <strong class="font-semibold">{formatBytes(Number(bytes))}</strong> before copies. The trash is paid for until it is emptied.
      </p>
      <Button size="sm" variant="danger" icon="trash" changes="POST /buckets/:name/bulk-actions" onClick$={props.onEmpty$}>
        Empty trash
      </Button>
    </div>
  )
})
