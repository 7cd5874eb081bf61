import { component$ } from '@builder.io/qwik'
import { Alert, Badge, Bytes, Card, type Column, Copyable, copyLooks, HealthBadge, Link, showHidden, Table } from '@svc/ui-kit'
import type { Copy, ProvenCopy, Slot } from './describe-life.ts'
import { PieceFacts } from './piece-facts.tsx'

interface SlotCardProps {
  bucket: string
  slot: Slot
  /** When the proof was put together. */
  issuedAt: string | undefined
}

/** The copy in one replica slot: where it is, and what proves it. */
export const SlotCard = component$<SlotCardProps>(({ bucket, slot: { copyIndex, copy, pieces }, issuedAt }) => {
  const [first] = pieces
  const status = copy?.status ?? first?.status ?? 'pending'
  const isCounted = status !== 'committed' || pieces.every(({ counts }) => counts)
  return (
    <Card title={`Replica ${copyIndex + 1}`}>
      <span q:slot="actions" class="inline-flex flex-wrap justify-end gap-1.5">
        {copy?.is_new_data_set && <Badge tone="info">New data set</Badge>}
        <Badge tone={copyLooks[status].tone} icon={copyLooks[status].icon}>
          {copyLooks[status].word}
        </Badge>
        {!isCounted && <Badge tone="warning">Does not count</Badge>}
        {copy && status === 'committed' && isCounted && <HealthBadge health={copy.health} />}
      </span>
      <Place bucket={bucket} copy={copy} piece={first} />
      {copy?.attention_code !== undefined && (
        <div class="mt-3">
          <Alert tone="warning" title="It waits for an operator">
            {copy.attention_code.replaceAll('_', ' ')}.{' '}
            <Link to="/storage-confirmations" class="underline">
              Storage confirmations
            </Link>
          </Alert>
        </div>
      )}
      {!isCounted && (
        <div class="mt-3">
          <Alert tone="warning">It does not count as durable until its provider and the chain confirm it again.</Alert>
        </div>
      )}
      {pieces.length === 1 && first && <PieceFacts piece={first} issuedAt={issuedAt} />}
      {pieces.length > 1 && (
        <div class="-mx-4 mt-3 -mb-4 border-t">
          <Table
            label={`Pieces of replica ${copyIndex + 1}`}
            columns={columns}
            rows={pieces}
            rowKey={({ part }: ProvenCopy) => String(part)}
          />
        </div>
      )}
    </Card>
  )
})

/** Provider and data set, and how the bytes came there. */
const Place = ({ bucket, copy, piece }: { bucket: string; copy: Copy | undefined; piece: ProvenCopy | undefined }) => {
  const providerId = copy?.provider_id ?? piece?.provider_id
  if (providerId === undefined) return <p class="text-sm text-muted">No provider was chosen yet.</p>
  return (
    <p class="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <Link to="/providers/:id" params={{ id: providerId }} class="font-medium text-accent hover:underline">
        <bdi>{showHidden(piece?.provider_name ?? `Provider ${providerId}`)}</bdi>
      </Link>
      <span class="text-muted">#{providerId}</span>
      {piece && (
        <Link
          to="/data-sets"
          query={{ bucket, provider: piece.provider_id, set: String(piece.local_data_set_id) }}
          class="text-accent hover:underline"
        >
          {piece.data_set_id === undefined ? 'New data set' : `Data set ${piece.data_set_id}`}
        </Link>
      )}
      {copy && <span class="text-muted">{copy.transfer_method === 'ingress' ? 'uploaded from here' : 'pulled from another provider'}</span>}
    </p>
  )
}

const columns: readonly Column<ProvenCopy>[] = [
  { id: 'part', label: 'Part', title: true, cell: ({ part }) => `Part ${part + 1}` },
  {
    id: 'status',
    label: 'Status',
    cell: ({ status, counts }) => (
      <Badge tone={status === 'committed' && !counts ? 'warning' : copyLooks[status].tone}>
        {status === 'committed' && !counts ? 'Does not count' : copyLooks[status].word}
      </Badge>
    ),
  },
  { id: 'cid', label: 'Piece CID', grow: true, cell: ({ piece_cid }) => <Copyable text={piece_cid} label="piece CID" /> },
  { id: 'piece', label: 'Piece', align: 'end', cell: ({ piece_id }) => (piece_id === undefined ? '—' : `#${piece_id}`) },
  { id: 'size', label: 'Size', align: 'end', cell: ({ size }) => <Bytes value={size} /> },
]
