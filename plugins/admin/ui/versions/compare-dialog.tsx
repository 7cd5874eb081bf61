import { component$, type QRL, type Signal } from '@builder.io/qwik'
import { Button, Dialog, ErrorAlert, formatBytes, formatExactTime, ReviewTable, SkeletonLines, useQuery } from '@svc/ui-kit'
import { compareVersions, type VersionFacts } from './compare-policy.ts'
import type { Version } from './version-policy.ts'

interface CompareProps {
  open: Signal<boolean>
  bucket: string
  /** The earlier one, and the one that it is compared with. */
  version: Version
  current: Version
  onClose$: QRL<() => void>
}

/** What differs between a version and the current one. */
export const CompareDialog = component$<CompareProps>(({ open, bucket, version, current, onClose$ }) => {
  const factsOf = ({ key, version_id }: Version) => ({ params: { name: bucket }, query: { key, version_id } })
  const left = useQuery('GET /buckets/:name/objects/metadata', () => factsOf(version))
  const right = useQuery('GET /buckets/:name/objects/metadata', () => factsOf(current))
  const rows = left.data && right.data && compareVersions(withFacts(left.data, version), withFacts(right.data, current))
  return (
    <Dialog
      open={open}
      size="lg"
      title="Compare with the current version"
      description={`Now: the version of ${formatExactTime(version.created_at)}. After: the current one.`}
      onClose$={onClose$}
    >
      <ErrorAlert error={left.error ?? right.error} />
      {!rows && !left.error && !right.error && <SkeletonLines lines={4} label="Loading the versions" />}
      {rows?.length === 0 && <p class="text-sm">Both versions are alike.</p>}
      {rows && rows.length > 0 && <ReviewTable rows={rows} />}
      <Button
        q:slot="footer"
        data-autofocus=""
        onClick$={() => {
          open.value = false
        }}
      >
        Close
      </Button>
    </Dialog>
  )
})

const withFacts = (stored: Omit<VersionFacts, 'size' | 'etag' | 'uploaded'>, { size, etag, created_at }: Version): VersionFacts => ({
  ...stored,
  size: formatBytes(size),
  etag,
  uploaded: formatExactTime(created_at),
})
