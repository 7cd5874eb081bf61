import { $, component$, useSignal } from '@builder.io/qwik'
import {
  Ago,
  type Answer,
  Button,
  Card,
  Confirm,
  call,
  ErrorAlert,
  formatBytes,
  formatPlural,
  invalidate,
  KeyText,
  SkeletonLines,
  toast,
  useAction$,
  useQuery,
} from '@svc/ui-kit'

type OpenUpload = Answer<'GET /buckets/:name/uploads'>['uploads'][number]

/** Multipart uploads that were neither completed nor aborted: their parts take room in the cache. */
export const UploadsCard = component$<{ bucket: string }>(({ bucket }) => {
  const page = useQuery('GET /buckets/:name/uploads', () => ({ params: { name: bucket } }))
  const chosen = useSignal<OpenUpload>()
  const isAsking = useSignal(false)
  const abort = useAction$(async ({ key, upload_id }: OpenUpload) => {
    await call('POST /buckets/:name/uploads/abort', { params: { name: bucket }, body: { key, upload_id } })
    return true
  })
  return (
    <Card title="Open uploads">
      <div class="flex flex-col gap-2 text-sm">
        <ErrorAlert error={page.data ? undefined : page.error} onRetry$={page.refresh} />
        {!page.data && !page.error && <SkeletonLines lines={2} label="Loading the uploads" />}
        {page.data?.uploads.length === 0 && <p class="text-muted">No multipart upload is open.</p>}
        <ul class="flex flex-col divide-y">
          {page.data?.uploads.map((upload) => (
            <li key={upload.upload_id} class="flex flex-wrap items-center justify-between gap-2 py-2">
              <span class="min-w-0">
                <span class="font-mono text-xs">
                  <KeyText text={upload.key} />
                </span>
                <span class="block text-xs text-muted">
                  {formatPlural(upload.parts, 'part')}, {upload.parts_exceed ? 'more than ' : ''}
                  {formatBytes(upload.bytes)} of the cache, begun <Ago time={upload.created_at} />
                </span>
              </span>
              <Button
                size="sm"
                variant="ghost"
                icon="ban"
                changes="POST /buckets/:name/uploads/abort"
                orHidden
                onClick$={async () => {
                  await abort.reset()
                  chosen.value = upload
                  isAsking.value = true
                }}
              >
                Abort
              </Button>
            </li>
          ))}
        </ul>
        {page.data?.has_more && (
          <p class="text-xs text-muted">The first {page.data.uploads.length} are shown; more follow when these end.</p>
        )}
      </div>
      {chosen.value && (
        <Confirm
          open={isAsking}
          level="danger"
          changes="POST /buckets/:name/uploads/abort"
          title="Abort this upload?"
          confirmLabel="Abort upload"
          pending={abort.isPending}
          error={abort.error?.message}
          onConfirm$={$(async () => {
            if (!chosen.value) return
            const done = await abort.run(chosen.value)
            invalidate(['GET /buckets/:name/uploads'])
            if (!done) return
            isAsking.value = false
            toast({ title: 'Upload aborted' })
          })}
        >
          <p class="text-sm">Its parts are removed from the cache. Its client must begin again.</p>
        </Confirm>
      )}
    </Card>
  )
})
