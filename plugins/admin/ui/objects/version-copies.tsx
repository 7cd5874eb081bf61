import { component$ } from '@builder.io/qwik'
import { ReplicaStrip, Skeleton, useQuery } from '@svc/ui-kit'

/** Its copies change with events of their object, which make another strip. */
const never = Number.POSITIVE_INFINITY

/** The copies of one version in a row of a list. */
export const VersionCopies = component$<{ bucket: string; versionId: string }>(({ bucket, versionId }) => {
  const { data, error } = useQuery(
    'GET /buckets/:name/objects/provenance',
    () => ({ params: { name: bucket }, query: { version_id: versionId } }),
    { pollMs: never },
  )
  if (!data) return error ? <span class="text-muted">unknown</span> : <Skeleton class="h-3 w-12" />
  return <ReplicaStrip copies={data.copies} requested={data.requested_copies} text />
})
