import { $, component$, type QRL, type Signal } from '@builder.io/qwik'
import { Alert, Button, Dialog, formatPlural, Progress, SkeletonLines } from '@svc/ui-kit'
import { DeletePreview } from './delete-preview.tsx'
import { DeleteResults } from './delete-results.tsx'
import { useDeletion } from './use-deletion.ts'

interface DeleteObjectsProps {
  open: Signal<boolean>
  bucket: string
  /** Selected rows: objects and folders. */
  rowIds: readonly string[]
  /** Told whether something was deleted. */
  onClose$: QRL<(isChanged: boolean) => void>
}

/** Moves objects to the trash, and says for each key what became of it. */
export const DeleteObjectsDialog = component$<DeleteObjectsProps>(({ open, bucket, rowIds, onClose$ }) => {
  const { keys, isCut, problem, results, phase, run, stop } = useDeletion(bucket, rowIds)
  const count = keys.value?.length ?? 0
  const title = keys.value ? `Delete ${formatPlural(count, 'object')}?` : 'Delete'
  const close = $(() => onClose$(results.value.length > 0))
  return (
    <Dialog open={open} alert icon="triangle-alert" tone="danger" title={title} pending={phase.value === 'running'} onClose$={close}>
      <div class="flex flex-col gap-4 text-sm">
        {problem.value !== '' && (
          <Alert tone="danger" live>
            {problem.value}
          </Alert>
        )}
        {!keys.value && problem.value === '' && <SkeletonLines lines={3} label="Looking for the objects" />}
        {phase.value === 'asking' && keys.value && <DeletePreview keys={keys.value} isCut={isCut.value} />}
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
        <Button q:slot="footer" icon="square" onClick$={stop}>
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
        <Button
          q:slot="footer"
          variant="danger"
          pending={phase.value === 'running'}
          disabled={count === 0}
          onClick$={async () => {
            if (await run()) open.value = false
          }}
        >
          Move to trash
        </Button>
      )}
    </Dialog>
  )
})
