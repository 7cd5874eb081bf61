import { component$ } from '@builder.io/qwik'
import { Badge, ErrorAlert, LinkButton, PageHeader, useQuery } from '@svc/ui-kit'
import { PlacesCard } from './places-card.tsx'
import { PluginsCard } from './plugins-card.tsx'
import { ServiceCard } from './service-card.tsx'

export const SystemPage = component$(() => {
  const info = useQuery('GET /system/info')
  const health = useQuery('GET /healthz')
  return (
    <>
      <PageHeader title="System" description="The running service, where it keeps data and listens, and its plugins.">
        <span q:slot="badge">
          {health.data?.status === 'ok' && <Badge tone="success">Healthy</Badge>}
          {health.error?.status === 503 && <Badge tone="danger">Unhealthy</Badge>}
        </span>
        <LinkButton q:slot="actions" href="/api/v1/openapi.json" target="_blank" rel="noopener" icon="book-open">
          OpenAPI document
        </LinkButton>
      </PageHeader>
      <ErrorAlert error={info.error} title="The state of the service cannot be read" onRetry$={info.refresh} class="mb-4" />
      <div class="grid gap-4 lg:grid-cols-2">
        <ServiceCard />
        <PlacesCard />
        <div class="min-w-0 lg:col-span-2">
          <PluginsCard />
        </div>
      </div>
    </>
  )
})
