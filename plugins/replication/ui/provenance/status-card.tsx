import { component$ } from '@builder.io/qwik'
import {
  Ago,
  Alert,
  Badge,
  Card,
  Copyable,
  formatBytes,
  HealthBadge,
  healthReasons,
  KeyValue,
  KeyValues,
  Progress,
  ReplicaStrip,
  SkeletonLines,
  useQuery,
} from '@svc/ui-kit'
import { labelOf, type Provenance, toneOf } from '../state-policy.ts'

interface StatusCardProps {
  bucket: string
  versionId: string
  provenance: Provenance | undefined
  isFailed: boolean
}

/** State, copies and upload of the version. */
export const StatusCard = component$<StatusCardProps>(({ bucket, versionId, provenance, isFailed }) => {
  const detail = useQuery('GET /buckets/:name/objects/status-detail', () => ({
    params: { name: bucket },
    query: { version_id: versionId },
  }))
  const message = detail.data?.message
  return (
    <Card title="Storage">
      {!provenance &&
        (isFailed ? (
          <p class="text-sm text-muted">Unknown while the copies cannot be read.</p>
        ) : (
          <SkeletonLines lines={6} label="Loading the storage state" />
        ))}
      {provenance && (
        <div class="flex flex-col gap-3">
          {message !== undefined && <Alert tone={toneOf(provenance) === 'danger' ? 'danger' : 'info'}>{message}</Alert>}
          {provenance.progress && !provenance.progress.done && (
            <Progress
              label="Upload to the first provider"
              value={provenance.progress.uploaded_bytes}
              max={provenance.progress.total_bytes}
              text={`${formatBytes(provenance.progress.uploaded_bytes)} of ${formatBytes(provenance.progress.total_bytes)}, attempt ${provenance.progress.attempt}`}
            />
          )}
          <Facts provenance={provenance} />
        </div>
      )}
    </Card>
  )
})

const Facts = component$<{ provenance: Provenance }>(({ provenance }) => {
  const { copies, copy_health, success_copies, requested_copies, piece_cid, updated_at } = provenance
  return (
    <KeyValues>
      <KeyValue label="State">
        <Badge tone={toneOf(provenance)}>{labelOf(provenance)}</Badge>
      </KeyValue>
      <KeyValue label="Copies">
        <span class="inline-flex flex-wrap items-center justify-end gap-2">
          <span>
            {success_copies} of {requested_copies} requested
          </span>
          {requested_copies > 0 && <ReplicaStrip copies={copies} requested={requested_copies} />}
        </span>
      </KeyValue>
      <KeyValue label="Health of the copies">
        <span class="inline-flex flex-wrap items-center justify-end gap-x-2 gap-y-1">
          {copy_health.reason_codes.length > 0 && <span class="text-xs text-muted">{healthReasons(copy_health.reason_codes)}</span>}
          <HealthBadge health={copy_health} />
        </span>
      </KeyValue>
      <KeyValue label="Piece CID">
        <Copyable text={piece_cid} label="piece CID" keep={10} />
      </KeyValue>
      <KeyValue label="Last change">
        <Ago time={updated_at} />
      </KeyValue>
    </KeyValues>
  )
})
