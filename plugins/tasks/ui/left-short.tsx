import { component$, type QRL } from '@builder.io/qwik'
import { Alert, Button, formatPlural, KeyText, Link, useIsEnabled, useQuery } from '@svc/ui-kit'

const listedMax = 5

/** The objects that a dismissal leaves with too few copies. It offers the retry first. */
export const LeftShort = component$<{ onRetry$: QRL<() => void> }>(({ onRetry$ }) => {
  const hasCopies = useIsEnabled('replication')
  const stuck = useQuery('GET /below-target', () =>
    hasCopies.value ? { query: { work: 'stuck' as const, limit: String(listedMax) } } : null,
  )
  const overview = useQuery('GET /overview')
  const objects = stuck.data?.objects ?? []
  if (objects.length === 0) return null
  const count = Math.max(overview.data?.objects.below_target?.stuck ?? 0, objects.length)
  return (
    <Alert
      tone="warning"
      title={`${formatPlural(count, 'object has', 'objects have')} too few copies, and nothing works on ${count === 1 ? 'it' : 'them'}`}
    >
      <p>A dismissal stores nothing: they stay below their target until svc tries again by itself. Retry the failures instead.</p>
      <ul class="my-2 list-disc ps-5">
        {objects.map(({ bucket, key, version_id, stored_copies, target_copies }) => (
          <li key={version_id}>
            {bucket}/<KeyText text={key} />: {stored_copies} of {target_copies} copies
          </li>
        ))}
      </ul>
      <span class="flex flex-wrap items-center gap-3">
        <Button size="sm" variant="primary" icon="rotate-ccw" changes="POST /tasks/retry" onClick$={onRetry$}>
          Retry instead
        </Button>
        <Link to="/below-target" query={{ work: 'stuck' }} class="underline">
          Show all
        </Link>
      </span>
    </Alert>
  )
})
