import { component$ } from '@builder.io/qwik'
import {
  Card,
  ErrorAlert,
  formatPlural,
  invalidate,
  Pager,
  SkeletonLines,
  setSearch,
  useEvent$,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { PackTable } from './pack-table.tsx'
import { StoredCard } from './stored-card.tsx'
import { WaitingCard } from './waiting-card.tsx'

const packsPerPage = 50

/** What waits for a pack, the packs with their living and dead bytes, and what could be packed. */
export const BucketPacksTab = component$<{ bucket: string }>((props) => {
  const before = useSearchParam('before')
  const packs = useQuery('GET /packs', () => ({
    query: { bucket: props.bucket, limit: String(packsPerPage), before: before.value || undefined },
  }))
  // Tasks seal, store and compact packs.
  useEvent$(() => invalidate(['GET /packs']), 'task_updated')
  const bucket = packs.data?.buckets[0]
  if (!packs.data || !bucket) {
    return packs.error ? <ErrorAlert error={packs.error} onRetry$={packs.refresh} /> : <SkeletonLines lines={8} label="Loading the packs" />
  }
  const { packs: rows, has_more: hasMore } = packs.data
  return (
    <div class="flex flex-col gap-4">
      <div class="grid gap-4 md:grid-cols-2">
        <WaitingCard packs={bucket} />
        <StoredCard bucket={props.bucket} />
      </div>
      <Card title="Packs" note="newest first" flush>
        <PackTable packs={rows} isPacked={bucket.packing === 'small'} />
        {(hasMore || before.value !== '') && (
          <Pager
            first={before.value === ''}
            // Qwik may read it again after another page has emptied the answer.
            more={packs.data?.has_more ?? false}
            summary={`${formatPlural(rows.length, 'pack')} on this page`}
            onFirst$={() => setSearch({ before: null })}
            onNext$={() => setSearch({ before: String(packs.data?.packs.at(-1)?.id ?? '') })}
          />
        )}
      </Card>
    </div>
  )
})
