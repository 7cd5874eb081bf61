import { component$ } from '@builder.io/qwik'
import { Alert, type ApiError, KeyText, Link, useIsEnabled } from '@svc/ui-kit'

/** What a permanent deletion means for one key, above the field to type its name. */
export const PurgeWords = component$<{ objectKey: string; text: string; error: ApiError | undefined }>(({ objectKey, text, error }) => {
  const hasTasks = useIsEnabled('tasks')
  return (
    <>
      <p class="text-sm">{text}</p>
      <p class="rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
        <KeyText text={objectKey} wrap />
      </p>
      {error && (
        <Alert
          tone={error.code === 'object_storage_busy' ? 'warning' : 'danger'}
          title={error.code === 'object_storage_busy' ? 'Its copies are being made' : undefined}
          live
        >
          {error.message}{' '}
          {error.status === 409 && hasTasks.value && (
            <Link to="/tasks" class="underline">
              Look at the running tasks
            </Link>
          )}
        </Alert>
      )}
    </>
  )
})
