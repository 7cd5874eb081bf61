import { component$ } from '@builder.io/qwik'
import { Ago, Alert, Badge, Bytes, Card, Copyable, CopyButton, KeyText, KeyValue, KeyValues, SkeletonLines } from '@svc/ui-kit'
import { useVersion, versionsMax } from './use-version.ts'

interface VersionCardProps {
  bucket: string
  objectKey: string
  versionId: string
}

/** Facts of the version from the history of its key. */
export const VersionCard = component$<VersionCardProps>((props) => {
  const { history, version } = useVersion(() => ({ bucket: props.bucket, key: props.objectKey, versionId: props.versionId }))
  return (
    <Card title="Version">
      <KeyValues>
        <KeyValue label="Key">
          <span class="inline-flex min-w-0 max-w-full items-start gap-1 text-start">
            <KeyText text={props.objectKey} wrap />
            <CopyButton text={props.objectKey} label="key" />
          </span>
        </KeyValue>
        <KeyValue label="Version id">
          <Copyable text={props.versionId} label="version id" keep={12} />
        </KeyValue>
        {version && (
          <>
            <KeyValue label="Status">
              <Badge tone={version.is_current ? 'info' : 'neutral'}>{version.is_current ? 'Current' : 'Older version'}</Badge>
            </KeyValue>
            <KeyValue label="Size">
              <Bytes value={version.size} />
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
      {!history.data && !history.error && <SkeletonLines lines={4} label="Loading the version" />}
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
