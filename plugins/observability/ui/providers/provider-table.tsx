import { component$ } from '@builder.io/qwik'
import { Ago, type Column, Count, Empty, Link, LinkButton, type Query, Table, toneText } from '@svc/ui-kit'
import { HealthState } from '../health/health-state.tsx'
import { SpeedTestFigure } from '../speed-tests/speed-test-figure.tsx'
import { nameOf, type Provider, type ProviderPage, rateOf, successOf, successTone } from './describe-provider.ts'

interface ProviderTableProps {
  query: Query<ProviderPage>
  isFiltered: boolean
}

export const ProviderTable = component$<ProviderTableProps>(({ query, isFiltered }) => (
  <Table
    label="Providers"
    columns={columns}
    rows={query.data?.items}
    rowKey={({ facts }: Provider) => facts.provider_id}
    error={query.error?.message}
    onRetry$={query.refresh}
    skeletonRows={8}
  >
    <div q:slot="empty">
      {isFiltered ? (
        <Empty icon="list-filter" title="No provider matches" text="No registered provider has this text, state and use.">
          <LinkButton href="/providers">Show all providers</LinkButton>
        </Empty>
      ) : (
        <Empty
          icon="server-off"
          title="No providers are known yet"
          text="The registry was not read yet, or it is empty. Refresh reads it."
        />
      )}
    </div>
  </Table>
))

const none = () => <span class="text-muted">—</span>

const columns: readonly Column<Provider>[] = [
  {
    id: 'name',
    label: 'Provider',
    title: true,
    cell: (provider) => (
      <Link to="/providers/:id" params={{ id: provider.facts.provider_id }} class="hover:underline">
        <bdi class="font-medium">{nameOf(provider)}</bdi> <span class="text-muted">#{provider.facts.provider_id}</span>
      </Link>
    ),
  },
  { id: 'state', label: 'State', grow: true, cell: ({ signal }) => <HealthState signal={signal} /> },
  { id: 'upload', label: 'Upload', align: 'end', cell: ({ scorecard }) => rateOf(scorecard?.upload) ?? none() },
  { id: 'pull', label: 'Pull', align: 'end', wide: true, cell: ({ scorecard }) => rateOf(scorecard?.pull) ?? none() },
  { id: 'read', label: 'Read', align: 'end', wide: true, cell: ({ scorecard }) => rateOf(scorecard?.read) ?? none() },
  { id: 'success', label: 'Success', align: 'end', cell: ({ scorecard }) => <Success scorecard={scorecard} /> },
  { id: 'missed', label: 'Missed proofs', align: 'end', wide: true, cell: ({ scorecard }) => <Missed scorecard={scorecard} /> },
  { id: 'test', label: 'Speed test', align: 'end', wide: true, cell: ({ upload_speed_test: test }) => <SpeedTestFigure test={test} /> },
  { id: 'sets', label: 'Our data sets', align: 'end', cell: ({ facts }) => <Count value={facts.data_sets} /> },
  { id: 'checked', label: 'Checked', align: 'end', cell: ({ signal }) => <Ago time={signal.freshness.last_checked_at} /> },
]

const Success = ({ scorecard }: Pick<Provider, 'scorecard'>) => {
  if (!scorecard) return none()
  const tone = successTone(scorecard)
  return (
    <span class={tone && toneText[tone]} title={`${scorecard.failed} of ${scorecard.calls} calls failed`}>
      {successOf(scorecard)}
    </span>
  )
}

const Missed = ({ scorecard }: Pick<Provider, 'scorecard'>) => {
  const missed = scorecard?.missed_proofs
  if (!missed) return none()
  return <span class={missed.periods > 0 ? toneText.warning : ''}>{missed.periods}</span>
}
