import { component$, type JSXOutput } from '@builder.io/qwik'
import { Ago, type Answer, Bytes, Count, Skeleton } from '@svc/ui-kit'
import { OwnerBadge } from './owner-badge.tsx'

/** What an operator wants to know of every bucket, in one line. */
export const BucketFacts = component$<{ bucket: Answer<'GET /buckets/:name'> | undefined }>(({ bucket }) => {
  return (
    <dl class="grid grid-cols-2 gap-x-6 gap-y-3 rounded-lg border bg-panel px-4 py-3 sm:grid-cols-3 lg:grid-cols-5">
      {fact('Objects', bucket && <Count value={bucket.object_count} />)}
      {fact('Size', bucket && <Bytes value={bucket.total_size_bytes} />)}
      {fact(
        'Copies',
        bucket && (
          <>
            {bucket.default_copies}{' '}
            <span class="text-xs font-normal text-muted">at least {bucket.minimum_durable_copies} before eviction</span>
          </>
        ),
      )}
      {fact('Owner', bucket && <OwnerBadge owner={bucket.owner_access_key} name={bucket.owner_name} />)}
      {fact('Created', bucket && <Ago time={bucket.created_at} />)}
    </dl>
  )
})

const fact = (label: string, value: JSXOutput | undefined) => (
  <div class="min-w-0">
    <dt class="text-xs text-muted">{label}</dt>
    <dd class="mt-0.5 min-h-6 text-sm font-medium">{value ?? <Skeleton class="mt-1 h-4 w-20" />}</dd>
  </div>
)
