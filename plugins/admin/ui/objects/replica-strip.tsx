import { component$ } from '@builder.io/qwik'
import { Skeleton, toneFill, useQuery } from '@svc/ui-kit'
import { describeSlots, slotsOf } from './state-policy.ts'

/** Its copies change with events of their object, which make another strip. */
const never = Number.POSITIVE_INFINITY

/** One block for each copy of a version, by state. */
export const ReplicaStrip = component$<{ bucket: string; versionId: string }>(({ bucket, versionId }) => {
  const provenance = useQuery(
    'GET /buckets/:name/objects/provenance',
    () => ({ params: { name: bucket }, query: { version_id: versionId } }),
    {
      pollMs: never,
    },
  )
  if (!provenance.data) return provenance.error ? <span class="text-muted">unknown</span> : <Skeleton class="h-3 w-12" />
  const slots = slotsOf(provenance.data)
  const text = describeSlots(slots)
  const stored = slots.filter(({ tone }) => tone === 'success').length
  return (
    <span title={text} class="inline-flex align-middle items-center gap-2">
      <svg width={slots.length * 12} height="12" role="img" aria-label={text}>
        {slots.map(({ id, tone, word }, at) => (
          <rect
            key={id}
            x={at * 12 + 0.5}
            y={word === 'Stored' ? 0.5 : word === 'Pending' ? 4.5 : 2.5}
            width="9"
            height={word === 'Stored' ? 11 : word === 'Pending' ? 3 : 7}
            rx="2"
            class={toneFill[tone]}
          />
        ))}
      </svg>
      <span class="text-xs text-muted">
        {stored}/{slots.length}
      </span>
    </span>
  )
})
