import { component$ } from '@builder.io/qwik'
import { Alert, type Answer, Badge, Card, formatCount, SkeletonLines, useQuery } from '@svc/ui-kit'

type Health = Answer<'GET /overview'>['chain_storage_health']

/** Observed state of providers and data sets. */
export const StorageHealthCard = component$(() => {
  const overview = useQuery('GET /overview')
  const health = overview.data?.chain_storage_health
  if (!health) {
    return (
      <Card title="Storage health">
        <SkeletonLines lines={2} label="Loading the storage health" />
      </Card>
    )
  }
  return (
    <Card title="Storage health">
      <div class="grid gap-4 sm:grid-cols-2">
        <Summary name="Data sets" health={health.data_sets} />
        <Summary name="Providers" health={health.providers} />
      </div>
      {Object.entries(health.partial_errors).map(([part, message]) => (
        <div key={part} class="mt-4">
          <Alert tone="warning">{message}</Alert>
        </div>
      ))}
    </Card>
  )
})

const Summary = component$<{ name: string; health: Health['data_sets'] }>(({ name, health }) => (
  <div class="flex flex-wrap items-center justify-between gap-2 rounded-md border px-3.5 py-2.5">
    <span class="text-sm font-medium">{name}</span>
    {health ? (
      <span class="flex flex-wrap gap-1.5">
        {health.summary.total === 0 && <Badge tone="neutral">None yet</Badge>}
        {health.summary.available > 0 && <Badge tone="success">{`${formatCount(health.summary.available)} available`}</Badge>}
        {health.summary.degraded > 0 && <Badge tone="warning">{`${formatCount(health.summary.degraded)} degraded`}</Badge>}
        {health.summary.unavailable > 0 && <Badge tone="danger">{`${formatCount(health.summary.unavailable)} unavailable`}</Badge>}
        {health.summary.unknown > 0 && <Badge tone="neutral">{`${formatCount(health.summary.unknown)} unknown`}</Badge>}
      </span>
    ) : (
      <span class="text-sm text-muted">Not observed</span>
    )}
  </div>
))
