import { Ago, Badge, type Column, Link, Money, Table } from '@svc/ui-kit'
import { actionLabels, actionTones, type Repair, signalTexts } from './repair-words-policy.ts'

interface RepairTableProps {
  rows: readonly Repair[] | undefined
  error?: string | undefined
}

/** Decisions, newest first. Slot `empty`. */
export const RepairTable = ({ rows, error, children }: RepairTableProps & { children?: unknown }) => (
  <Table
    label="Decisions"
    columns={columns}
    rows={rows}
    rowKey={({ id }: Repair) => String(id)}
    rowName={({ id }: Repair) => `decision ${id}`}
    error={error}
  >
    {children as never}
  </Table>
)

const columns: readonly Column<Repair>[] = [
  { id: 'action', label: 'Decision', title: true, cell: ({ action }) => <Badge tone={actionTones[action]}>{actionLabels[action]}</Badge> },
  {
    id: 'replica',
    label: 'Replica',
    cell: ({ bucket, copy_index }) => (
      <>
        <Link to="/buckets/:name" params={{ name: bucket }} query={{ tab: 'replacements' }} class="hover:underline">
          {bucket}
        </Link>{' '}
        <span class="text-muted">replica {copy_index + 1}</span>
      </>
    ),
  },
  { id: 'provider', label: 'Provider', cell: ({ provider_id }) => `#${provider_id}` },
  {
    id: 'why',
    label: 'Why',
    grow: true,
    cell: ({ signal, message }) => (
      <span title={message}>
        {signalTexts[signal]}: <bdi class="text-muted">{message}</bdi>
      </span>
    ),
  },
  { id: 'since', label: 'Fault since', align: 'end', wide: true, cell: ({ since }) => <Ago time={since} /> },
  {
    id: 'fee',
    label: 'Fees, at most',
    align: 'end',
    wide: true,
    cell: ({ fee }) => (fee === undefined ? null : <Money value={fee} price />),
  },
  {
    id: 'replacement',
    label: 'Replacement',
    align: 'end',
    cell: ({ replacement_id: id }) =>
      id === undefined ? null : (
        <Link to="/replacements/:id" params={{ id: String(id) }} class="text-accent hover:underline">
          #{id}
        </Link>
      ),
  },
  { id: 'when', label: 'Decided', align: 'end', cell: ({ at }) => <Ago time={at} /> },
]
