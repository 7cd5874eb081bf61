import { component$ } from '@builder.io/qwik'
import { Alert, type ApiError, Confirm, type ConfirmProps, KeyText, Link, useIsEnabled } from '@svc/ui-kit'
import { wordFor } from '../keys-policy.ts'

interface PurgeConfirmProps extends Pick<ConfirmProps, 'open' | 'title' | 'changes' | 'rows' | 'pending' | 'onConfirm$' | 'onClose$'> {
  objectKey: string
  /** What the deletion removes. */
  text: string
  failure: ApiError | undefined
}

/** Asks for the name of the key before a permanent deletion. */
export const PurgeConfirm = component$<PurgeConfirmProps>(
  ({ open, title, changes, rows, pending, onConfirm$, onClose$, objectKey, text, failure }) => (
    <Confirm
      open={open}
      level="typed"
      word={wordFor(objectKey)}
      title={title}
      changes={changes}
      confirmLabel="Delete permanently"
      pending={pending}
      rows={rows}
      onConfirm$={onConfirm$}
      onClose$={onClose$}
    >
      <p class="text-sm">{text}</p>
      <p class="rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
        <KeyText text={objectKey} wrap />
      </p>
      {failure && <PurgeFailure error={failure} />}
    </Confirm>
  ),
)

const PurgeFailure = component$<{ error: ApiError }>(({ error }) => {
  const hasTasks = useIsEnabled('tasks')
  const isBusy = error.code === 'object_storage_busy'
  return (
    <Alert tone={isBusy ? 'warning' : 'danger'} title={isBusy ? 'Its copies are being made' : undefined} live>
      {error.message}{' '}
      {error.status === 409 && hasTasks.value && (
        <Link to="/tasks" class="underline">
          Look at the running tasks
        </Link>
      )}
    </Alert>
  )
})
