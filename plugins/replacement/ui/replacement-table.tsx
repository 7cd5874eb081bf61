import { Ago, Badge, type Column, formatPercent, Link, Table } from '@svc/ui-kit'
import { type Replacement, statusLabels, statusTones, waitTitles } from './words-policy.ts'

interface ReplacementTableProps {
  rows: readonly Replacement[] | undefined
  /** Leaves out the column of the bucket. */
  ofBucket?: boolean | undefined
  error?: string | undefined
}

/** Replacements, newest first. Slot `empty`. */
export const ReplacementTable = ({ rows, ofBucket, error, children }: ReplacementTableProps & { children?: unknown }) => (
  <Table
    label="Replacements"
    columns={ofBucket ? columns.filter(({ id }) => id !== 'bucket') : columns}
    rows={rows}
    rowKey={({ id }: Replacement) => String(id)}
    rowName={({ id }: Replacement) => `replacement ${id}`}
    error={error}
  >
    {children as never}
  </Table>
)

const columns: readonly Column<Replacement>[] = [
  {
    id: 'replacement',
    label: 'Replacement',
    title: true,
    cell: ({ id, copy_index }) => (
      <Link to="/replacements/:id" params={{ id: String(id) }} class="hover:underline">
        #{id} <span class="text-muted">replica {copy_index + 1}</span>
      </Link>
    ),
  },
  {
    id: 'bucket',
    label: 'Bucket',
    cell: ({ bucket_name }) => (
      <Link to="/buckets/:name" params={{ name: bucket_name }} class="hover:underline">
        {bucket_name}
      </Link>
    ),
  },
  { id: 'status', label: 'Status', cell: ({ status }) => <Badge tone={statusTones[status]}>{statusLabels[status]}</Badge> },
  {
    id: 'providers',
    label: 'From → to',
    grow: true,
    cell: ({ source, target }) => (
      <span>
        <ProviderName side={source} /> <span aria-hidden="true">→</span>
        <span class="sr-only">to</span> <ProviderName side={target} />
      </span>
    ),
  },
  { id: 'details', label: 'Details', wide: true, cell: (row) => <span class="text-muted">{detailsOf(row)}</span> },
  { id: 'progress', label: 'Moved', align: 'end', cell: ({ progress }) => <Share progress={progress} /> },
  { id: 'when', label: 'Updated', align: 'end', cell: ({ updated_at }) => <Ago time={updated_at} /> },
]

/** Shows a dash until all contents were found. */
const Share = ({ progress: { percent, items_processed, items_total } }: { progress: Replacement['progress'] }) => {
  if (percent === undefined) return <span class="text-muted">—</span>
  return <span>{items_total === 0 ? '100%' : formatPercent(items_processed, items_total)}</span>
}

const ProviderName = ({ side: { provider_id, provider_identity } }: { side: Replacement['source'] }) => (
  <bdi>{provider_identity.name ?? `provider ${provider_id}`}</bdi>
)

const detailsOf = ({ wait_reason, last_error, origin }: Replacement): string =>
  (wait_reason && waitTitles[wait_reason]) ?? last_error ?? (origin === 'repair' ? 'Automatic repair' : '')
