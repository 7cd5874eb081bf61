import { $, component$, noSerialize, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, ApiError, Button, Dialog, formatPlural, invalidate, KeyText, Progress, SkeletonLines, toast } from '@svc/ui-kit'
import { collectKeys, deletedMax, deleteKeys, type KeyResult } from './delete-keys.ts'
import { DeleteResults } from './delete-results.tsx'

interface DeleteObjectsProps {
  open: Signal<boolean>
  bucket: string
  /** Selected rows: objects and folders. */
  rowIds: readonly string[]
  /** Told whether something was deleted. */
  onClose$: QRL<(isChanged: boolean) => void>
}

const previewMax = 5

/** Moves objects to the trash, and says for each key what became of it. */
export const DeleteObjectsDialog = component$<DeleteObjectsProps>(({ open, bucket, rowIds, onClose$ }) => {
  const keys = useSignal<readonly string[]>()
  const isCut = useSignal(false)
  const problem = useSignal('')
  const results = useSignal<readonly KeyResult[]>([])
  const phase = useSignal<'asking' | 'running' | 'ended'>('asking')
  const abort = useSignal(noSerialize(new AbortController()))
  useTask$(({ cleanup }) => {
    const control = new AbortController()
    abort.value = noSerialize(control)
    cleanup(() => control.abort())
    void collectKeys(bucket, rowIds, control.signal).then(
      (found) => {
        keys.value = found.keys
        isCut.value = found.isCut
      },
      (error: unknown) => {
        if (!control.signal.aborted) problem.value = error instanceof ApiError ? error.message : String(error)
      },
    )
  })
  const run = $(async () => {
    if (!keys.value || !abort.value || phase.value !== 'asking') return
    phase.value = 'running'
    await deleteKeys(bucket, keys.value, {
      signal: abort.value.signal,
      report: (result) => {
        results.value = [...results.value, result]
      },
    })
    phase.value = 'ended'
    invalidate([
      'GET /buckets',
      'GET /buckets/:name',
      'GET /buckets/:name/objects',
      'GET /buckets/:name/objects/deleted',
      'GET /buckets/:name/objects/versions',
    ])
    const done = results.value.filter((result) => result.problem === undefined).length
    if (done !== keys.value.length) return
    toast({
      title: `${formatPlural(done, 'object')} moved to the trash`,
      to: `/buckets/${encodeURIComponent(bucket)}?tab=trash`,
      toLabel: 'Open the trash',
    })
    open.value = false
  })
  const count = keys.value?.length ?? 0
  return (
    <Dialog
      open={open}
      alert
      icon="triangle-alert"
      tone="danger"
      title={keys.value ? `Delete ${formatPlural(count, 'object')}?` : 'Delete'}
      pending={phase.value === 'running'}
      onClose$={$(() => onClose$(results.value.length > 0))}
    >
      <div class="flex flex-col gap-4 text-sm">
        {problem.value !== '' && (
          <Alert tone="danger" live>
            {problem.value}
          </Alert>
        )}
        {!keys.value && problem.value === '' && <SkeletonLines lines={3} label="Looking for the objects" />}
        {phase.value === 'asking' && keys.value && (
          <>
            <p>They move to the trash: each key gets a delete marker, its versions stay and can be restored.</p>
            <ul class="flex flex-col gap-1 rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
              {keys.value.slice(0, previewMax).map((key) => (
                <li key={key} class="min-w-0">
                  <KeyText text={key} />
                </li>
              ))}
              {count > previewMax && <li class="text-muted">and {count - previewMax} more</li>}
            </ul>
            {isCut.value && (
              <Alert tone="warning">
                More than {deletedMax.toLocaleString('en-US')} objects are selected: this deletes the first{' '}
                {deletedMax.toLocaleString('en-US')}.
              </Alert>
            )}
          </>
        )}
        {phase.value !== 'asking' && (
          <>
            <Progress
              label="Objects deleted"
              value={results.value.length}
              max={count}
              text={`${results.value.length} of ${formatPlural(count, 'object')}`}
            />
            <DeleteResults results={results.value} wanted={count} isEnded={phase.value === 'ended'} />
          </>
        )}
      </div>
      {phase.value === 'running' ? (
        <Button q:slot="footer" icon="square" onClick$={() => abort.value?.abort()}>
          Stop
        </Button>
      ) : (
        <Button
          q:slot="footer"
          data-autofocus=""
          onClick$={() => {
            open.value = false
          }}
        >
          {phase.value === 'ended' ? 'Close' : 'Cancel'}
        </Button>
      )}
      {phase.value !== 'ended' && (
        <Button q:slot="footer" variant="danger" pending={phase.value === 'running'} disabled={count === 0} onClick$={run}>
          Move to trash
        </Button>
      )}
    </Dialog>
  )
})
