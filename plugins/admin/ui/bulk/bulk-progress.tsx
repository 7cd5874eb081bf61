import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Alert,
  Button,
  call,
  ErrorAlert,
  formatExactCount,
  go,
  invalidate,
  Progress,
  toast,
  useAction$,
  useObservable,
  useQuery,
} from '@svc/ui-kit'
import { bucketHref } from '../buckets/links.ts'
import { objectLists } from '../objects/object-lists.ts'
import { type BulkActionFacts, bulkTexts, describeEnd, describeRest } from './bulk-texts.ts'
import { startedAction } from './started-action.ts'

interface BulkProgressProps {
  bucket: string
  /** Id of the action that runs, as the bucket says. */
  running: number | undefined
}

/** The bulk action that runs in a bucket, until its end; nothing while none runs. */
export const BulkProgress = component$<BulkProgressProps>((props) => {
  const { bucket } = props
  /** Kept until its end was told, also when the bucket names no running one any more. */
  const watched = useSignal<number>()
  const one = useQuery('GET /bulk-actions/:id', () => (watched.value === undefined ? null : { params: { id: String(watched.value) } }))
  const stop = useAction$(async (id: number) => {
    await call('POST /bulk-actions/:id/stop', { params: { id: String(id) } })
    invalidate(['GET /bulk-actions/:id', 'GET /buckets/:name'])
  })
  /** The answer for the bucket may be older than the end. */
  const told = useSignal<number>()
  const started = useObservable(startedAction)
  useTask$(({ track }) => {
    const running = track(() => props.running)
    if (running !== undefined && running !== told.value) watched.value = running
  })
  useTask$(({ track }) => {
    // It may have ended before the bucket names it.
    const own = track(() => started.value)
    if (own?.bucket === bucket && own.id !== told.value) watched.value = own.id
  })
  useTask$(({ track }) => {
    const seen = track(() => one.data)
    if (!seen || seen.id !== watched.value || seen.status === 'running') return
    watched.value = undefined
    told.value = seen.id
    // Told once, also when the page of the bucket is opened again.
    if (startedAction.value?.id === seen.id) startedAction.value = undefined
    invalidate(objectLists)
    tellEnd(seen)
  })
  const action = one.data
  if (watched.value === undefined || action?.id !== watched.value || action.status !== 'running') return null
  return (
    <div class="mt-4">
      <Alert tone="info" title={bulkTexts[action.action].running}>
        <Progress
          label={bulkTexts[action.action].running}
          value={action.done + action.skipped}
          max={Math.max(action.total, action.done + action.skipped)}
          text={`${formatExactCount(action.done)} of ${formatExactCount(action.total)}`}
        />
        {action.busy > 0 && <p class="mt-1">Copies of {formatExactCount(action.busy)} are being made; these are deleted after that.</p>}
        <p class="mt-1 text-muted">It continues without this page, and after a restart.</p>
        <ErrorAlert error={stop.error} />
        <Button
          q:slot="actions"
          size="sm"
          icon="square"
          changes="POST /bulk-actions/:id/stop"
          orHidden
          pending={stop.isPending}
          onClick$={() => stop.run(action.id)}
        >
          Stop
        </Button>
      </Alert>
    </div>
  )
})

function tellEnd(action: BulkActionFacts): void {
  const isClean = action.status === 'completed' && action.skipped === 0
  toast({
    tone: isClean ? 'success' : 'warning',
    title: describeEnd(action),
    text: describeRest(action),
    ...(action.action === 'move_to_trash' && { to: bucketHref(action.bucket, { tab: 'trash' }), toLabel: 'Open the trash' }),
  })
  if (action.action === 'delete_bucket' && action.status === 'completed') go('/buckets')
}
