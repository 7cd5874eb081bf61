import { component$ } from '@builder.io/qwik'
import { Alert, useIsEnabled, useQuery } from '@svc/ui-kit'

/** The Admin API deletes no buckets: how it is done instead, by the settings. */
export const BucketDeletionNote = component$(() => {
  const hasS3 = useIsEnabled('s3')
  const settings = useQuery('GET /settings')
  if (!settings.data) return null
  const { bucket_deletion: isOn } = (settings.data.config.s3 ?? {}) as { readonly bucket_deletion?: unknown }
  return (
    <div class="mt-4">
      <Alert tone="neutral" title="Deleting this bucket">
        {!hasS3.value && 'Buckets are deleted through the S3 API, which is off.'}
        {hasS3.value && isOn === true && (
          <>
            The dashboard deletes no buckets. Its owner can, once it is empty of objects, versions and delete markers, with the S3 operation
            DeleteBucket, such as <code class="font-mono text-xs">aws s3api delete-bucket</code>. Its storage services then end.
          </>
        )}
        {hasS3.value && isOn !== true && (
          <>
            Deletion of buckets is off. Switch on <code class="font-mono text-xs">s3.bucket_deletion</code> in the settings to let owners
            delete empty ones.
          </>
        )}
      </Alert>
    </div>
  )
})
