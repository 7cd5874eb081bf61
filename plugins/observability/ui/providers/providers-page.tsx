import { component$ } from '@builder.io/qwik'
import { Button, Card, call, ErrorAlert, invalidate, PageHeader, Progress, useAction$, useAddress, useQuery } from '@svc/ui-kit'
import { HealthSummary } from '../health/health-summary.tsx'
import { ListPager } from '../health/list-pager.tsx'
import { providersQuery } from './describe-provider.ts'
import { ProviderFilters } from './provider-filters.tsx'
import { ProviderTable } from './provider-table.tsx'

/** All registered providers: their health, and what this service measured of them. */
export const ProvidersPage = component$(() => {
  const address = useAddress()
  const search = () => new URLSearchParams(address.value.split('?')[1] ?? '')
  const providers = useQuery('GET /observability/providers', () => ({ query: providersQuery(search()) }))
  const refresh = useAction$(async () => {
    await call('POST /observability/providers/refresh', { query: { limit: '1' } })
    invalidate(['GET /observability/providers', 'GET /overview'])
  })
  const isFiltered = ['search', 'status', 'used'].some((name) => search().get(name))
  return (
    <>
      <PageHeader
        title="Providers"
        description="The registered storage providers, and what this service measured of them with its own uploads and reads."
      >
        <Button
          q:slot="actions"
          icon="refresh-cw"
          changes="POST /observability/providers/refresh"
          pending={refresh.isPending}
          pendingLabel="Asking the providers"
          onClick$={() => refresh.run()}
        >
          Refresh
        </Button>
      </PageHeader>
      <ErrorAlert error={refresh.error} title="The providers could not be refreshed" class="mb-4" />
      <Card flush>
        <div class="flex flex-col gap-3 border-b px-4 py-3">
          <ProviderFilters />
          {refresh.isPending && <Progress label="Refresh of the providers" text="Reads the registry and asks each provider" />}
          {providers.data && !refresh.isPending && <HealthSummary page={providers.data} />}
        </div>
        <ProviderTable query={providers} isFiltered={isFiltered} />
        {providers.data && <ListPager page={providers.data} noun="providers" />}
      </Card>
    </>
  )
})
