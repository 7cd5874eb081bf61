import { $, component$ } from '@builder.io/qwik'
import {
  Ago,
  type Answer,
  Badge,
  type Column,
  Copyable,
  Empty,
  formatPlural,
  hrefOf,
  KeyText,
  type MenuItem,
  Money,
  type Query,
  setSearch,
  Table,
} from '@svc/ui-kit'
import { type Group, groupByAttempt, reasonTexts, repeatFee } from './reason-policy.ts'

/** One row for each attempt: its transaction adds all its copies. */
export const ConfirmationTable = component$<{ query: Query<Answer<'GET /storage-confirmations'>> }>(({ query }) => (
  <Table
    label="Storage confirmations"
    columns={columns}
    rows={query.data && groupByAttempt(query.data)}
    rowKey={({ attemptId }: Group) => attemptId}
    rowName={({ attemptId }: Group) => `attempt ${attemptId}`}
    error={query.error?.message}
    onRetry$={query.refresh}
    menu={actions}
    onMenu$={$((_action: string, key: string) => setSearch({ release: key }))}
  >
    <Empty
      q:slot="empty"
      icon="shield-check"
      title="No confirmation needs a decision"
      text="Every paid submission has a known outcome, or the service is still looking it up."
    />
  </Table>
))

const actions = ({ entries }: Group): readonly MenuItem[] => [
  {
    id: 'release',
    label: `Release ${formatPlural(entries.length, 'copy', 'copies')}`,
    icon: 'lock-open',
    danger: true,
    changes: 'POST /storage-confirmations/release',
  },
]

const columns: readonly Column<Group>[] = [
  {
    id: 'objects',
    label: 'Objects',
    title: true,
    grow: true,
    cell: ({ entries }) => {
      const [{ bucket, object_key: key, content_id }] = entries
      return (
        <span>
          {key === undefined ? (
            `Content ${content_id}`
          ) : (
            <a href={hrefOf('/buckets/:name', { name: bucket }, { prefix: folderOf(key), object: key })} class="hover:underline">
              <KeyText text={key} />
            </a>
          )}
          {entries.length > 1 && <span class="text-muted"> and {formatPlural(entries.length - 1, 'other copy', 'other copies')}</span>}
        </span>
      )
    },
  },
  { id: 'bucket', label: 'Bucket', cell: ({ entries: [{ bucket }] }) => bucket },
  {
    id: 'reason',
    label: 'Reason',
    cell: ({ entries: [{ reason_code }] }) => (
      <Badge tone="warning" title={reasonTexts[reason_code]}>
        {reason_code.replaceAll('_', ' ')}
      </Badge>
    ),
  },
  { id: 'provider', label: 'Provider', wide: true, cell: ({ entries: [{ provider_id }] }) => `#${provider_id}` },
  {
    id: 'tx',
    label: 'Transaction',
    wide: true,
    cell: ({ entries: [{ transaction_id }] }) => <Copyable text={transaction_id} label="transaction" />,
  },
  { id: 'price', label: 'Storing again', align: 'end', cell: ({ entries }) => <Money value={repeatFee(entries)} price /> },
  { id: 'since', label: 'Waiting since', align: 'end', cell: ({ entries: [{ attention_at }] }) => <Ago time={attention_at} /> },
]

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/', key.length - 2) + 1)
