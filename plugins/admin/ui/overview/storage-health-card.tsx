import { component$ } from '@builder.io/qwik'
import { Ago, Alert, type Answer, Badge, Card, Link, SkeletonLines, StackedBar, useIsEnabled, useQuery } from '@svc/ui-kit'
import { healthParts, stateParts } from './health-parts-policy.ts'

type Summary = Answer<'GET /overview'>['chain_storage_health']['providers']

/** How far objects are stored, and the observed state of data sets and providers. */
export const StorageHealthCard = component$(() => {
  const overview = useQuery('GET /overview')
  const hasCopies = useIsEnabled('replication')
  const isObserved = useIsEnabled('observability')
  const data = overview.data
  if (!data) {
    return (
      <Card title="Storage health">
        <SkeletonLines lines={6} label="Loading the storage health" />
      </Card>
    )
  }
  const health = data.chain_storage_health
  return (
    <Card title="Storage health">
      {hasCopies.value && isObserved.value && (
        <Link q:slot="actions" to="/storage-risk" class="text-accent hover:underline">
          By bucket
        </Link>
      )}
      <div class="flex flex-col gap-5">
        <section>
          <h3 class="mb-2 text-xs font-medium text-muted">Objects by state</h3>
          {data.objects.total === 0 ? (
            <p class="text-sm text-muted">No objects yet.</p>
          ) : (
            <StackedBar label="Objects by state" parts={stateParts(data.objects.by_state)} />
          )}
        </section>
        {isObserved.value && (
          <div class="grid gap-5 md:grid-cols-2">
            <Observed name="Data sets" health={health.data_sets} />
            <Observed name="Providers" health={health.providers} />
          </div>
        )}
        {Object.entries(health.partial_errors).map(([part, message]) => (
          <Alert key={part} tone="warning" title="Not everything could be observed">
            {message}
          </Alert>
        ))}
      </div>
    </Card>
  )
})

const Observed = component$<{ name: string; health: Summary }>(({ name, health }) => {
  const checked = health?.summary_signal.freshness
  return (
    <section class="min-w-0">
      <h3 class="mb-2 flex flex-wrap items-center justify-between gap-2 text-xs font-medium text-muted">
        <span>{name}</span>
        {checked && (
          <span class="flex items-center gap-2 font-normal">
            {checked.last_checked_at !== undefined && (
              <span>
                checked <Ago time={checked.last_checked_at} />
              </span>
            )}
            {checked.stale && <Badge tone="warning">Out of date</Badge>}
          </span>
        )}
      </h3>
      {!health && <p class="text-sm text-muted">Not observed.</p>}
      {health && health.summary.total === 0 && <p class="text-sm text-muted">None yet.</p>}
      {health && health.summary.total > 0 && <StackedBar label={name} parts={healthParts(health.summary)} />}
    </section>
  )
})
