import { component$ } from '@builder.io/qwik'
import {
  Alert,
  Badge,
  Boundary,
  formatBytes,
  formatCount,
  formatExactCount,
  formatPercent,
  formatPlural,
  PageHeader,
  StatCard,
  useParts,
  useQuery,
} from '@svc/ui-kit'
import { AttentionList } from './attention-list.tsx'

/** Tailwind reads class names from the text. */
const spans = { 3: 'lg:col-span-3', 4: 'lg:col-span-4', 6: 'lg:col-span-6', 8: 'lg:col-span-8', 12: 'lg:col-span-12' } as const

export const OverviewPage = component$(() => {
  const overview = useQuery('GET /overview')
  const cards = useParts('cards')
  const data = overview.data
  const level = data?.chain_storage_health.level
  return (
    <>
      <PageHeader title="Overview" description="What the gateway holds, does and waits for.">
        <span q:slot="badge">
          {level === 'ok' && <Badge tone="success">Healthy</Badge>}
          {level === 'warning' && <Badge tone="warning">Degraded</Badge>}
          {level === 'blocking' && <Badge tone="danger">Storage unavailable</Badge>}
        </span>
      </PageHeader>
      {overview.error && (
        <div class="mb-4">
          <Alert tone="danger" title="The overview cannot be read" live>
            {overview.error.message}
          </Alert>
        </div>
      )}
      <div class="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
        <StatCard
          label="Buckets"
          icon="database"
          href="/buckets"
          value={data && formatCount(data.buckets.total)}
          exact={formatExactCount(data?.buckets.total)}
          sub="Versioned, in this gateway"
        />
        <StatCard
          label="Objects"
          icon="boxes"
          value={data && formatCount(data.objects.total)}
          exact={formatExactCount(data?.objects.total)}
          sub={data && `${formatBytes(data.objects.total_size_bytes)} in current versions`}
        />
        <StatCard
          label="Stored with all copies"
          icon="shield-check"
          value={data && (data.objects.total === 0 ? '—' : formatPercent(data.objects.by_state.stored, data.objects.total))}
          sub={data && describeUnstored(data.objects.total - data.objects.by_state.stored, data.objects.total)}
        />
        <StatCard
          label="Open tasks"
          icon="list-checks"
          href="/tasks"
          value={data && formatCount(data.tasks.by_status.pending + data.tasks.by_status.running)}
          sub={data && (data.tasks.attention.failed > 0 ? `${formatCount(data.tasks.attention.failed)} failed` : 'None failed')}
          subTone={data && data.tasks.attention.failed > 0 ? 'danger' : undefined}
        />
      </div>
      <div class="mt-4 grid gap-4 lg:grid-cols-12">
        <div class="lg:col-span-12">
          <AttentionList overview={data} />
        </div>
        {cards.value.map(({ id, span, component: OverviewCard }) => (
          <div key={id} class={['flex min-w-0 *:flex-1', spans[span]]}>
            <Boundary what="card">
              <OverviewCard />
            </Boundary>
          </div>
        ))}
      </div>
    </>
  )
})

function describeUnstored(unstored: number, total: number): string {
  if (total === 0) return 'No objects yet'
  return unstored === 0 ? 'Nothing is on its way' : formatPlural(unstored, 'object is on its way', 'objects are on their way')
}
