import { component$, useSignal } from '@builder.io/qwik'
import {
  Button,
  Bytes,
  Card,
  Confirm,
  Count,
  call,
  ErrorAlert,
  formatMoney,
  formatPlural,
  invalidate,
  KeyValue,
  KeyValues,
  Money,
  SkeletonLines,
  toast,
  useAction$,
  useEvent$,
  useQuery,
} from '@svc/ui-kit'

/** Small objects with pieces of their own, and what it costs and saves to pack them. */
export const StoredCard = component$<{ bucket: string }>((props) => {
  const isAsking = useSignal(false)
  const stored = useQuery('GET /packs/stored', () => ({ query: { bucket: props.bucket } }))
  useEvent$(() => {
    if (stored.data?.running) invalidate(['GET /packs/stored'])
  }, 'task_updated')
  const pack = useAction$(async () => {
    await call('POST /packs/stored', { body: { bucket: props.bucket } })
    isAsking.value = false
    invalidate(['GET /packs/stored', 'GET /packs'])
    toast({ title: 'The stored objects are being packed' })
  })
  const data = stored.data
  return (
    <Card title="Stored one by one">
      {data && data.contents > 1 && !data.running && (
        <Button
          q:slot="actions"
          size="sm"
          changes="POST /packs/stored"
          onClick$={() => {
            void pack.reset()
            isAsking.value = true
          }}
        >
          Pack them
        </Button>
      )}
      <ErrorAlert error={stored.error} onRetry$={stored.refresh} />
      {!data && !stored.error && <SkeletonLines lines={4} label="Counting small objects" />}
      {data && (
        <KeyValues>
          <KeyValue label="Small objects">
            <Count value={data.contents} />
          </KeyValue>
          <KeyValue label="Their bytes">
            <Bytes value={data.bytes} />
          </KeyValue>
          <KeyValue label="Fees to pack them">
            <Money value={data.costs?.spent} price />
          </KeyValue>
          <KeyValue label="Saved for each later copy" help="Such as when a provider is replaced.">
            <Money value={data.costs?.saved_per_copy} price />
          </KeyValue>
        </KeyValues>
      )}
      {data?.running && (
        <p class="text-xs text-muted">
          {data.running.packed} of {formatPlural(data.running.contents, 'object')} packed
          {data.running.left_out > 0 && `; ${data.running.left_out} cannot be read now and stay as they are`}.
        </p>
      )}
      <Confirm
        open={isAsking}
        level="review"
        changes="POST /packs/stored"
        title="Pack the stored objects?"
        description="Their single pieces are removed when the packs have all copies."
        confirmLabel="Pack"
        pending={pack.isPending}
        error={pack.error?.message}
        rows={
          data && [
            { label: 'Objects', from: formatPlural(data.contents, 'piece'), to: formatPlural(data.packs, 'pack') },
            ...(data.costs ? [{ label: 'Fees', to: `${formatMoney(data.costs.spent, { up: true })} USDFC` }] : []),
          ]
        }
        onConfirm$={() => pack.run()}
      />
    </Card>
  )
})
