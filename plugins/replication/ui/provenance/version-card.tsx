import { component$ } from '@builder.io/qwik'
import { Ago, Alert, Badge, Bytes, Card, Copyable, CopyButton, KeyText, KeyValue, KeyValues, SkeletonLines, useQuery } from '@svc/ui-kit'

/** Versions that one request reads; the facts of an older one are not shown. */
const versionsMax = 1000

interface VersionCardProps {
  bucket: string
  objectKey: string
  versionId: string
}

/** Facts of the version from the history of its key. */
export const VersionCard = component$<VersionCardProps>(({ bucket, objectKey, versionId }) => {
  const history = useQuery('GET /buckets/:name/objects/versions', () =>
    objectKey === '' ? null : { params: { name: bucket }, query: { key: objectKey, limit: String(versionsMax) } },
  )
  const version = history.data?.versions.find(({ version_id }) => version_id === versionId)
  return (
    <Card title="Version">
      <KeyValues>
        {objectKey !== '' && (
          <KeyValue label="Key">
            <span class="inline-flex min-w-0 max-w-full items-start gap-1 text-start">
              <KeyText text={objectKey} wrap />
              <CopyButton text={objectKey} label="key" />
            </span>
          </KeyValue>
        )}
        <KeyValue label="Version id">
          <Copyable text={versionId} label="version id" keep={12} />
        </KeyValue>
        {version && (
          <>
            <KeyValue label="Status">
              <span class="inline-flex flex-wrap justify-end gap-1.5">
                <Badge tone={version.is_current ? 'info' : 'neutral'}>{version.is_current ? 'Current' : 'Older version'}</Badge>
                {version.is_delete_marker && <Badge tone="warning">Delete marker</Badge>}
              </span>
            </KeyValue>
            <KeyValue label="Size">
              <Bytes value={version.size} />
            </KeyValue>
            <KeyValue label="Bytes are">
              <span class="inline-flex flex-wrap justify-end gap-1.5">
                {version.location.cache && <Badge tone="info">In the cache</Badge>}
                {version.location.chain && <Badge tone="success">At providers</Badge>}
                {!version.location.cache && !version.location.chain && <Badge tone="danger">Nowhere readable</Badge>}
              </span>
            </KeyValue>
            <KeyValue label="Content type">
              <KeyText text={version.content_type} wrap />
            </KeyValue>
            <KeyValue label="ETag">
              <Copyable text={version.etag} label="ETag" keep={10} />
            </KeyValue>
            <KeyValue label="Created">
              <Ago time={version.created_at} />
            </KeyValue>
          </>
        )}
      </KeyValues>
      {objectKey !== '' && !history.data && !history.error && <SkeletonLines lines={4} label="Loading the version" />}
      {history.error && (
        <Alert tone="warning" title="The history of the key cannot be read">
          {history.error.message}
        </Alert>
      )}
      {history.data && !version && (
        <p class="pt-2 text-xs text-muted">
          {history.data.has_more ? `This version is older than the newest ${versionsMax} of its key.` : 'The key has no such version.'}
        </p>
      )}
    </Card>
  )
})
