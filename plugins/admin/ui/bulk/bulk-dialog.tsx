import { $, component$, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Confirm,
  call,
  ErrorAlert,
  formatBytes,
  formatExactCount,
  formatPlural,
  type Input,
  KeyText,
  newRequestId,
  useAction$,
} from '@svc/ui-kit'
import { type BulkActionName, type BulkPreview, bulkTexts } from './bulk-texts.ts'
import { startedAction } from './started-action.ts'

export type BulkTargets = Input<'POST /buckets/:name/bulk-actions/preview'>['body']['targets']

interface BulkDialogProps {
  open: Signal<boolean>
  bucket: string
  action: BulkActionName
  targets: BulkTargets
  /** More rows: what else ends, and what it costs. */
  rows?: readonly { readonly label: string; readonly to: string }[] | undefined
  /** Told whether the action was started. */
  onClose$: QRL<(isStarted: boolean) => void>
}

const shownTargetsMax = 5

/** Counts what a bulk action would change, asks, and starts it. Its progress is shown by `BulkProgress`. */
export const BulkDialog = component$<BulkDialogProps>(({ open, bucket, action, targets, rows, onClose$ }) => {
  const requestId = useSignal(newRequestId)
  const isStarted = useSignal(false)
  const preview = useSignal<BulkPreview>()
  const count = useAction$(async () => {
    preview.value = await call('POST /buckets/:name/bulk-actions/preview', { params: { name: bucket }, body: { action, targets } })
  })
  const start = useAction$((confirm: string) =>
    call('POST /buckets/:name/bulk-actions', {
      params: { name: bucket },
      body: { action, targets, confirm, client_request_id: requestId.value },
    }),
  )
  useTask$(() => {
    void count.run()
  })
  const { level, title, text, confirmLabel } = bulkTexts[action]
  const sum = preview.value
  return (
    <Confirm
      open={open}
      level={level}
      changes="POST /buckets/:name/bulk-actions"
      word={bucket}
      title={sum ? title(formatPlural(sum.objects, 'object'), bucket) : confirmLabel}
      confirmLabel={confirmLabel}
      pending={start.isPending}
      lockedReason={lockOf(sum, action)}
      error={start.error?.message}
      rows={sum && [...sumRows(sum, action), ...(rows ?? [])]}
      onConfirm$={$(async () => {
        const action = await start.run(bucket)
        if (!action) return
        startedAction.value = { bucket, id: action.id }
        isStarted.value = true
        open.value = false
      })}
      onClose$={$(() => onClose$(isStarted.value))}
    >
      <p class="text-sm">{text}</p>
      <TargetList targets={targets} />
      <ErrorAlert error={count.error} onRetry$={count.run} />
    </Confirm>
  )
})

function lockOf(sum: BulkPreview | undefined, action: BulkActionName): string | undefined {
  if (!sum) return 'The objects are being counted.'
  return sum.objects === 0 && action !== 'delete_bucket' ? 'There is nothing to change.' : undefined
}

function sumRows({ objects, versions, bytes, open_uploads, open_uploads_exceed }: BulkPreview, action: BulkActionName) {
  const isBucket = action === 'delete_bucket'
  return [
    { label: isBucket ? 'Current objects' : 'Objects', to: formatExactCount(objects) },
    { label: 'Versions with bytes', to: formatExactCount(versions) },
    // Above 2^53 bytes the shown figure is rounded, as every shown size is.
    { label: 'Size', to: formatBytes(Number(bytes)) },
    ...(isBucket ? [{ label: 'Open uploads', to: `${open_uploads_exceed ? 'more than ' : ''}${formatExactCount(open_uploads)}` }] : []),
  ]
}

/** The whole bucket is not listed: the title names it. */
const TargetList = component$<{ targets: BulkTargets }>(({ targets }) => {
  const texts = targets.map((target) => ('key' in target ? target.key : target.prefix)).filter((text) => text !== '')
  if (texts.length === 0) return null
  return (
    <ul class="flex flex-col gap-1 rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
      {texts.slice(0, shownTargetsMax).map((text) => (
        <li key={text} class="min-w-0">
          <KeyText text={text} />
        </li>
      ))}
      {texts.length > shownTargetsMax && <li class="text-muted">and {texts.length - shownTargetsMax} more</li>}
    </ul>
  )
})
