import { $, component$ } from '@builder.io/qwik'
import { Ago, type Answer, Badge, type Column, Copyable, Empty, type MenuItem, type Query, setSearch, Table } from '@svc/ui-kit'
import { type Confirmation, reasonTexts } from './reason-policy.ts'

export const ConfirmationTable = component$<{ query: Query<Answer<'GET /storage-confirmations'>> }>(({ query }) => (
  <Table
    label="Storage confirmations"
    columns={columns}
    rows={query.data}
    rowKey={({ copy_id }: Confirmation) => String(copy_id)}
    rowName={({ copy_id }: Confirmation) => `copy ${copy_id}`}
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

const actions = (): readonly MenuItem[] => [{ id: 'release', label: 'Release', icon: 'lock-open', danger: true }]

const columns: readonly Column<Confirmation>[] = [
  {
    id: 'copy',
    label: 'Copy',
    title: true,
    cell: ({ copy_id, copy_index }) => (
      <span>
        #{copy_id} <span class="text-muted">replica {copy_index + 1}</span>
      </span>
    ),
  },
  {
    id: 'reason',
    label: 'Reason',
    grow: true,
    cell: ({ reason_code }) => (
      <Badge tone="warning" title={reasonTexts[reason_code]}>
        {reason_code.replaceAll('_', ' ')}
      </Badge>
    ),
  },
  { id: 'dataset', label: 'Data set', cell: ({ data_set_id }) => (data_set_id === undefined ? 'Being created' : `#${data_set_id}`) },
  { id: 'provider', label: 'Provider', wide: true, cell: ({ provider_id }) => `#${provider_id}` },
  { id: 'tx', label: 'Transaction', wide: true, cell: ({ transaction_id }) => <Copyable text={transaction_id} label="transaction" /> },
  { id: 'attempted', label: 'Attempted', cell: ({ attempted_at }) => <Ago time={attempted_at} /> },
  { id: 'since', label: 'Waiting since', align: 'end', cell: ({ attention_at }) => <Ago time={attention_at} /> },
]
