import { $, component$, useSignal } from '@builder.io/qwik'
import {
  Button,
  Bytes,
  Card,
  Confirm,
  Count,
  Empty,
  ErrorAlert,
  formatPlural,
  KeyValue,
  KeyValues,
  SkeletonLines,
  toast,
} from '@svc/ui-kit'
import { isUnfinished } from './raise-policy.ts'
import { RaisePrice } from './raise-price.tsx'
import { RaiseProgress } from './raise-progress.tsx'
import { useRaise } from './use-raise.ts'

/** Contents that were stored under an earlier, lower target, and the raise that brings them up to the present one. */
export const RaiseTab = component$<{ bucket: string }>((props) => {
  const { view, start } = useRaise(props.bucket)
  const isAsking = useSignal(false)
  const shown = view.data
  const confirm = $(async () => {
    if (!view.data) return
    const { target_copies: copies, cost } = view.data
    const raise = await start.run({ copies, priceList: cost?.price_fingerprint })
    if (!raise) return
    isAsking.value = false
    toast({ title: `Contents of ${raise.bucket} are raised to ${formatPlural(raise.target_copies, 'copy', 'copies')}` })
  })
  if (!shown) {
    return view.error ? (
      <ErrorAlert error={view.error} onRetry$={view.refresh} />
    ) : (
      <SkeletonLines lines={5} label="Counting the contents below their target" />
    )
  }
  const { bucket, contents, copies, bytes, target_copies, cost, raise } = shown
  return (
    <div class="grid min-w-0 items-start gap-5 lg:grid-cols-2">
      <Card title="Below the target" note={formatPlural(target_copies, 'copy wanted', 'copies wanted')}>
        <ErrorAlert error={view.error} onRetry$={view.refresh} />
        {contents === 0 ? (
          <Empty icon="circle-check" title="Nothing to raise" text="Every content was stored under the present number of copies." />
        ) : (
          <div class="flex flex-col gap-4">
            <p class="max-w-prose text-sm">
              These contents were stored while the bucket wanted fewer copies. A change of the number of copies does not affect them.
            </p>
            <KeyValues>
              <KeyValue label="Contents">
                <Count value={contents} />
              </KeyValue>
              <KeyValue label="Copies to add">
                <Count value={copies} />
              </KeyValue>
              <KeyValue label="Bytes to add">
                <Bytes value={bytes} />
              </KeyValue>
            </KeyValues>
            <RaisePrice cost={cost} />
            <Button
              variant="primary"
              icon="layers"
              changes="POST /buckets/:name/copies/raise"
              class="self-start"
              lockedReason={isUnfinished(raise) ? 'A raise of this bucket is not completed.' : undefined}
              onClick$={async () => {
                await start.reset()
                isAsking.value = true
              }}
            >
              Raise copies
            </Button>
          </div>
        )}
      </Card>
      {raise && (
        <Card title="Newest raise">
          <RaiseProgress raise={raise} />
        </Card>
      )}
      <Confirm
        open={isAsking}
        level="review"
        changes="POST /buckets/:name/copies/raise"
        title={`Raise the copies of ${bucket}`}
        description="Each added copy is stored and paid like a new upload, and stays paid until the object is deleted."
        confirmLabel="Raise copies"
        pending={start.isPending}
        error={start.error?.message}
        rows={[
          { label: 'Copies of each content', to: String(target_copies) },
          { label: 'Contents', to: formatPlural(contents, 'content') },
          { label: 'Copies to add', to: formatPlural(copies, 'copy', 'copies') },
        ]}
        onConfirm$={confirm}
      >
        {isAsking.value && <RaisePrice cost={cost} />}
      </Confirm>
    </div>
  )
})
