import { component$ } from '@builder.io/qwik'
import {
  Ago,
  Badge,
  Card,
  type Column,
  Copyable,
  Empty,
  Icon,
  KeyText,
  Money,
  Select,
  setSearch,
  Table,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { describeState, explorerHref, listSizes, type Operation, readListSize, statusWords, typeWords } from './operation-words-policy.ts'

/** The newest deposits, withdrawals and approvals. Events keep it current. */
export const OperationsCard = component$<{ chainId: number | undefined }>(({ chainId }) => {
  const last = useSearchParam('last')
  const operations = useQuery('GET /wallet/operations', () => ({ query: { limit: readListSize(last.value) } }))
  return (
    <Card title="Operations" flush>
      <span q:slot="actions" class="w-32">
        <Select
          aria-label="Operations shown"
          value={readListSize(last.value)}
          options={listSizes.map((size) => ({ value: size, label: `Last ${size}` }))}
          onValue$={(size) => setSearch({ last: size === '10' ? null : size }, { replace: true })}
        />
      </span>
      <Table
        label="Operations"
        columns={columnsFor(chainId)}
        rows={operations.data?.operations}
        rowKey={({ id }: Operation) => String(id)}
        rowName={({ type, id }: Operation) => `${typeWords[type][1]} ${id}`}
        error={operations.error?.message}
        onRetry$={operations.refresh}
        skeletonRows={3}
      >
        <div q:slot="empty">
          <Empty icon="coins" title="No operations yet" text="Deposits, withdrawals and approvals appear here, with their transactions." />
        </div>
      </Table>
    </Card>
  )
})

const columnsFor = (chainId: number | undefined): readonly Column<Operation>[] => [
  {
    id: 'type',
    label: 'Operation',
    title: true,
    cell: ({ type, id }) => (
      <span class="inline-flex items-center gap-2">
        <Icon name={typeWords[type][0]} class="text-muted" />
        {typeWords[type][1]} <span class="text-muted">#{id}</span>
      </span>
    ),
  },
  {
    id: 'amount',
    label: 'Amount',
    align: 'end',
    cell: ({ type, amount }) => (type === 'approve' ? null : <Money value={amount} />),
  },
  { id: 'status', label: 'Status', cell: ({ status }) => <Badge tone={statusWords[status][0]}>{statusWords[status][1]}</Badge> },
  { id: 'detail', label: 'Detail', grow: true, cell: (operation) => <KeyText text={describeState(operation)} /> },
  {
    id: 'transaction',
    label: 'Transaction',
    cell: ({ tx_hash }) => (tx_hash === undefined ? null : <Transaction hash={tx_hash} chainId={chainId} />),
  },
  { id: 'when', label: 'When', align: 'end', cell: ({ updated_at }) => <Ago time={updated_at} /> },
]

const Transaction = ({ hash, chainId }: { hash: string; chainId: number | undefined }) => {
  const href = explorerHref(chainId, hash)
  return (
    <span class="inline-flex items-center gap-1">
      <Copyable text={hash} label="transaction hash" keep={5} />
      {href && (
        <a
          href={href}
          target="_blank"
          rel="noreferrer"
          aria-label="Show the transaction in a block explorer"
          class="inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-fg"
        >
          <Icon name="external-link" size={14} />
        </a>
      )}
    </span>
  )
}
