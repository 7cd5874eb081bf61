import { component$ } from '@builder.io/qwik'
import {
  Ago,
  Alert,
  Bytes,
  Copyable,
  CopyButton,
  formatBytes,
  KeyText,
  KeyValue,
  KeyValues,
  Progress,
  useIsEnabled,
  useQuery,
} from '@svc/ui-kit'
import { LocationBadges } from './location-badges.tsx'
import { StateMark } from './state-mark.tsx'
import { describeState, type ObjectItem } from './state-policy.ts'

/** What the API tells of an object. */
export const ObjectFacts = component$<{ item: ObjectItem; bucket: string }>(({ item, bucket }) => {
  const hasCopies = useIsEnabled('replication')
  const detail = useQuery('GET /buckets/:name/objects/status-detail', () =>
    !hasCopies.value || (item.state === 'stored' && item.status === 'success')
      ? null
      : { params: { name: bucket }, query: { version_id: item.current_version_id } },
  )
  const { progress } = item
  return (
    <div class="flex flex-col gap-3">
      <KeyValues>
        <KeyValue label="Key">
          <span class="inline-flex max-w-full items-start justify-end gap-1 font-mono text-xs">
            <span class="min-w-0 py-1">
              <KeyText text={item.key} wrap />
            </span>
            <CopyButton text={item.key} label="the key" />
          </span>
        </KeyValue>
        <KeyValue label="State">
          <StateMark item={item} />
        </KeyValue>
        <KeyValue label="Size">
          <Bytes value={item.size} />
        </KeyValue>
        <KeyValue label="Content type" value={<KeyText text={item.content_type} wrap />} />
        <KeyValue label="Bytes at">
          <LocationBadges location={item.location} />
        </KeyValue>
        <KeyValue label="ETag">
          <Copyable text={item.etag} label="the ETag" keep={10} />
        </KeyValue>
        <KeyValue label="Version">
          <Copyable text={item.current_version_id} label="the version id" keep={10} />
        </KeyValue>
        <KeyValue label="Piece CID">
          <Copyable text={item.piece_cid} label="the piece CID" keep={10} />
        </KeyValue>
        <KeyValue label="Uploaded">
          <Ago time={item.created_at} />
        </KeyValue>
        <KeyValue label="Changed">
          <Ago time={item.updated_at} />
        </KeyValue>
      </KeyValues>
      {progress && !progress.done && item.state === 'uploading' && (
        <Progress
          label="Sending to the first provider"
          value={progress.uploaded_bytes}
          max={progress.total_bytes}
          text={`${formatBytes(progress.uploaded_bytes)} of ${formatBytes(progress.total_bytes)}${progress.attempt > 1 ? `, attempt ${progress.attempt}` : ''}`}
        />
      )}
      {item.state !== 'stored' || item.status !== 'success' ? (
        <Alert tone={describeState(item).tone}>{detail.data?.message ?? describeState(item).text}</Alert>
      ) : null}
    </div>
  )
})
