import { component$ } from '@builder.io/qwik'
import {
  type Answer,
  Badge,
  Bytes,
  type Column,
  Copyable,
  Empty,
  formatPlural,
  healthReasons,
  healthTones,
  healthWords,
  hrefOf,
  KeyText,
  Link,
  LinkButton,
  type Query,
  Table,
  useIsEnabled,
} from '@svc/ui-kit'
import { groupByHealth } from './health-policy.ts'
import type { AffectedVersion } from './risk-query-policy.ts'
import { stateLook } from './state-policy.ts'

interface RiskTableProps {
  bucket: string
  query: Query<Answer<'GET /buckets/:name/storage-health/affected-versions'>>
  isFiltered: boolean
}

export const RiskTable = component$<RiskTableProps>(({ bucket, query, isFiltered }) => {
  const hasLife = useIsEnabled('observability')
  return (
    <Table
      label="Affected versions"
      columns={columnsOf(bucket, hasLife.value)}
      rows={query.data?.versions}
      rowKey={({ version_id }: AffectedVersion) => version_id}
      error={query.error?.message}
      onRetry$={query.refresh}
      skeletonRows={6}
    >
      <div q:slot="empty">
        {isFiltered ? (
          <Empty
            icon="list-filter"
            title="No affected version matches"
            text="Other versions may be affected: remove a filter to see them."
          />
        ) : (
          <Empty
            icon="shield-check"
            title="No version is affected"
            text="All copies of this bucket are on data sets that are known to be healthy."
          >
            <LinkButton href={hrefOf('/buckets/:name', { name: bucket })}>Open the bucket</LinkButton>
          </Empty>
        )}
      </div>
    </Table>
  )
})

/** The life of an object is a page of the plugin observability; without it the link leads to the versions of the key. */
const linkOf = (hasLife: boolean, key: string, version: string): Readonly<Record<string, string>> =>
  hasLife ? { key, version } : { tab: 'versions', key }

const columnsOf = (name: string, hasLife: boolean): readonly Column<AffectedVersion>[] => [
  {
    id: 'key',
    label: 'Key',
    title: true,
    grow: true,
    cell: ({ key, version_id }) => (
      <Link
        to={hasLife ? '/buckets/:name/life' : '/buckets/:name'}
        params={{ name }}
        query={linkOf(hasLife, key, version_id)}
        class="hover:underline"
      >
        <KeyText text={key} />
      </Link>
    ),
  },
  {
    id: 'version',
    label: 'Version',
    wide: true,
    cell: ({ version_id, is_current }) => (
      <span class="inline-flex items-center gap-1.5">
        <Copyable text={version_id} label="version id" keep={4} />
        {is_current && <Badge tone="info">Current</Badge>}
      </span>
    ),
  },
  { id: 'size', label: 'Size', align: 'end', cell: ({ size }) => <Bytes value={size} /> },
  { id: 'state', label: 'State', wide: true, cell: (version) => <State version={version} /> },
  { id: 'risk', label: 'Data sets at risk', cell: ({ risk_data_sets }) => <RiskDataSets sets={risk_data_sets} /> },
  {
    id: 'alternatives',
    label: 'Readable elsewhere',
    cell: ({ readable_alternative_count: count, has_readable_alternative, in_cache }) => (
      <span class="inline-flex gap-1.5">
        <Badge tone={has_readable_alternative ? 'success' : in_cache ? 'warning' : 'danger'}>
          {has_readable_alternative ? formatPlural(count, 'copy', 'copies') : 'No copy'}
        </Badge>
        {in_cache && <Badge tone="info">Cached</Badge>}
      </span>
    ),
  },
]

const State = ({ version }: { version: AffectedVersion }) => {
  const { tone, word } = stateLook(version)
  return <Badge tone={tone}>{word}</Badge>
}

/** One badge per health: rows of a table stay one line high. */
const RiskDataSets = ({ sets }: { sets: AffectedVersion['risk_data_sets'] }) => (
  <span class="inline-flex gap-1.5">
    {groupByHealth(sets).map(({ status, sets }) => (
      <Badge key={status} tone={healthTones[status]} title={sets.map(describeSet).join('; ')}>
        {`${sets.length} ${healthWords[status].toLowerCase()}`}
      </Badge>
    ))}
  </span>
)

function describeSet({ data_set_id, provider_id, storage_health: { reason_codes } }: AffectedVersion['risk_data_sets'][number]): string {
  const place = data_set_id === undefined ? 'a data set being created' : `data set ${data_set_id}`
  return `${place} of provider ${provider_id}: ${healthReasons(reason_codes)}`
}
