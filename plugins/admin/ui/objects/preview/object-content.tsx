import { component$ } from '@builder.io/qwik'
import { ErrorAlert, SkeletonLines, useQuery } from '@svc/ui-kit'
import { ObjectMetadata } from './object-metadata.tsx'
import { ObjectPreview } from './object-preview.tsx'

interface ObjectContentProps {
  bucket: string
  objectKey: string
  versionId: string
  size: number
}

/** Preview and metadata of one version. */
export const ObjectContent = component$<ObjectContentProps>(({ bucket, objectKey, versionId, size }) => {
  const metadata = useQuery('GET /buckets/:name/objects/metadata', () => ({
    params: { name: bucket },
    query: { key: objectKey, version_id: versionId },
  }))
  if (!metadata.data) {
    return metadata.error ? <ErrorAlert error={metadata.error} onRetry$={metadata.refresh} /> : <SkeletonLines lines={4} />
  }
  return (
    <>
      <section aria-labelledby="object-preview">
        <h3 id="object-preview" class="mb-2 text-sm font-semibold">
          Preview
        </h3>
        <ObjectPreview bucket={bucket} objectKey={objectKey} versionId={versionId} size={size} preview={metadata.data.preview} />
      </section>
      <section aria-labelledby="object-metadata">
        <h3 id="object-metadata" class="mb-2 text-sm font-semibold">
          Metadata
        </h3>
        <ObjectMetadata metadata={metadata.data} />
      </section>
    </>
  )
})
