import { component$ } from '@builder.io/qwik'
import {
  Ago,
  Alert,
  Empty,
  ErrorAlert,
  healthReasons,
  LinkButton,
  PageHeader,
  SkeletonLines,
  useParam,
  useParts,
  useQuery,
} from '@svc/ui-kit'
import { HealthState } from '../health/health-state.tsx'
import { SpeedTestCard } from '../speed-tests/speed-test-card.tsx'
import { nameOf, type Provider } from './describe-provider.ts'
import { ProviderDataSets } from './provider-data-sets.tsx'
import { ProviderFacts } from './provider-facts.tsx'
import { ScorecardCard } from './scorecard-card.tsx'

/** One provider: its health, our measurements, its registration and the data sets there. */
export const ProviderPage = component$(() => {
  const id = useParam('id')
  const actions = useParts('providerActions')
  const found = useQuery('GET /observability/providers', () => (/^\d{1,78}$/.test(id) ? { query: { provider_id: id } } : null))
  const provider = found.data?.items[0]
  const isUnknown = !/^\d{1,78}$/.test(id) || (found.data !== undefined && provider === undefined)
  return (
    <>
      <PageHeader title={provider ? nameOf(provider) : `Provider ${id}`} crumbs={[{ label: 'Providers', to: '/providers' }, { label: id }]}>
        {provider && (
          <span q:slot="badge">
            <HealthState signal={provider.signal} />
          </span>
        )}
        {provider && (
          <div q:slot="actions" class="flex flex-wrap gap-2">
            {actions.value.map(({ id: action, component: Action }) => (
              <Action key={action} providerId={id} serviceUrl={provider.facts.service_url} />
            ))}
          </div>
        )}
      </PageHeader>
      <ErrorAlert error={found.error} onRetry$={found.refresh} class="mb-4" />
      {isUnknown && (
        <Empty icon="server-off" title="No such provider" text="The registry has no provider with this id, or it was not read yet.">
          <LinkButton href="/providers">All providers</LinkButton>
        </Empty>
      )}
      {!provider && !isUnknown && !found.error && <SkeletonLines lines={8} label="Loading the provider" />}
      {provider && (
        <div class="flex flex-col gap-4">
          <Verdict signal={provider.signal} />
          <div class="grid items-start gap-4 lg:grid-cols-3">
            <div class="grid min-w-0 gap-4 lg:col-span-2">
              <ScorecardCard scorecard={provider.scorecard} />
            </div>
            <SpeedTestCard test={provider.upload_speed_test} />
          </div>
          <ProviderDataSets providerId={id} />
          <ProviderFacts provider={provider} />
        </div>
      )}
    </>
  )
})

const tones = { ok: 'success', warning: 'warning', blocking: 'danger' } as const

/** Why it is not available, with what it said last; nothing while it is. */
const Verdict = component$<Pick<Provider, 'signal'>>(({ signal: { level, status, reason_codes, last_error, freshness } }) => {
  if (level === 'ok') return null
  const reasons = healthReasons(reason_codes)
  return (
    <Alert tone={tones[level]} title={status === 'available' ? 'The last check is out of date' : undefined}>
      <span class="first-letter:uppercase">{reasons !== '' && `${reasons.charAt(0).toUpperCase()}${reasons.slice(1)}. `}</span>
      {last_error !== undefined && (
        <>
          Last error: <bdi>{last_error}</bdi>.{' '}
        </>
      )}
      {freshness.last_checked_at === undefined ? (
        'It was not checked yet.'
      ) : (
        <>
          Checked <Ago time={freshness.last_checked_at} />.
        </>
      )}
    </Alert>
  )
})
