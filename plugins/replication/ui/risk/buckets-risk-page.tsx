import { component$ } from '@builder.io/qwik'
import {
  Ago,
  type Answer,
  Badge,
  Card,
  type Column,
  Empty,
  formatCount,
  healthReasons,
  healthTones,
  healthWords,
  Link,
  LinkButton,
  PageHeader,
  Table,
  useIsEnabled,
  useQuery,
} from '@svc/ui-kit'
import { byRisk } from './health-policy.ts'
import { NoObserver } from './no-observer.tsx'

type Bucket = Answer<'GET /buckets'>[number]

/** Health of every bucket, the worst first. */
export const BucketsRiskPage = component$(() => {
  const isObserved = useIsEnabled('observability')
  return (
    <>
      <PageHeader
        title="Storage risk"
        description="Buckets by the health of their data sets, the worst first. Open one to see which versions are affected."
      />
      {isObserved.value ? <RiskTable /> : <NoObserver />}
    </>
  )
})

const RiskTable = component$(() => {
  const buckets = useQuery('GET /buckets')
  return (
    <Card flush>
      <Table
        label="Buckets by storage health"
        columns={columns}
        rows={buckets.data && byRisk(buckets.data)}
        rowKey={({ name }: Bucket) => name}
        error={buckets.error?.message}
        onRetry$={buckets.refresh}
      >
        <Empty
          q:slot="empty"
          icon="database"
          title="No buckets yet"
          text="Create a bucket and upload an object: the health of its copies appears here."
        >
          <LinkButton href="/buckets" variant="primary">
            Open the buckets
          </LinkButton>
        </Empty>
      </Table>
    </Card>
  )
})

const columns: readonly Column<Bucket>[] = [
  {
    id: 'name',
    label: 'Bucket',
    title: true,
    cell: ({ name }) => (
      <Link to="/buckets/:name/risk" params={{ name }} class="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    id: 'health',
    label: 'Health',
    cell: ({ storage_health: { status, stale } }) => (
      <span class="inline-flex gap-1.5">
        <Badge tone={healthTones[status]}>{healthWords[status]}</Badge>
        {stale && <Badge tone="warning">Out of date</Badge>}
      </span>
    ),
  },
  {
    id: 'reason',
    label: 'Reason',
    grow: true,
    wide: true,
    cell: ({ storage_health: { reason_codes, last_error } }) => last_error ?? (healthReasons(reason_codes) || '—'),
  },
  {
    id: 'sets',
    label: 'Data sets not healthy',
    align: 'end',
    cell: ({ storage_health }) => formatCount(storage_health.abnormal_data_sets),
  },
  { id: 'versions', label: 'Affected versions', align: 'end', cell: ({ storage_health }) => affectedText(storage_health) },
  {
    id: 'checked',
    label: 'Checked',
    align: 'end',
    wide: true,
    cell: ({ storage_health }) => <Ago time={storage_health.last_checked_at} />,
  },
]

/** The service stops to count at a limit: `1,000+`. */
const affectedText = ({ affected_versions_capped, affected_versions_exceeds_cap }: Bucket['storage_health']): string =>
  `${formatCount(affected_versions_capped)}${affected_versions_exceeds_cap ? '+' : ''}`
