import { component$ } from '@builder.io/qwik'
import { Badge, Card, type Column, Copyable, CopyButton, copyLooks, Empty, HealthBadge, Icon, Link, Table } from '@svc/ui-kit'
import type { Copy, Provenance } from '../state-policy.ts'
import { safeUrl, transferLabels } from './copies-policy.ts'

/** Every copy with its place. */
export const CopiesCard = component$<{ provenance: Provenance | undefined }>(({ provenance }) => (
  <Card title="Copies" flush>
    <Table
      label="Copies"
      columns={columns}
      rows={provenance?.copies}
      rowKey={({ copy_index }: Copy) => String(copy_index)}
      skeletonRows={3}
    >
      <Empty
        q:slot="empty"
        icon="boxes"
        title="No copies"
        text="Copies appear once the service has planned where to store this version. An empty object needs none."
      />
    </Table>
  </Card>
))

const columns: readonly Column<Copy>[] = [
  { id: 'replica', label: 'Replica', title: true, cell: ({ copy_index }) => `Replica ${copy_index + 1}` },
  {
    id: 'status',
    label: 'Status',
    cell: ({ status, attention_code }) => (
      <span class="inline-flex flex-wrap gap-1.5">
        <Badge tone={copyLooks[status].tone}>{copyLooks[status].word}</Badge>
        {attention_code !== undefined && (
          <Link to="/storage-confirmations" class="hover:underline">
            <Badge tone="warning">Needs a decision</Badge>
          </Link>
        )}
      </span>
    ),
  },
  {
    id: 'health',
    label: 'Health',
    cell: ({ health }) => <HealthBadge health={health} />,
  },
  {
    id: 'provider',
    label: 'Provider',
    grow: true,
    cell: ({ provider_id, provider_identity }) =>
      provider_id === undefined ? (
        <span class="text-muted">—</span>
      ) : (
        `#${provider_id}${provider_identity?.location ? `, ${provider_identity.location}` : ''}`
      ),
  },
  {
    id: 'dataset',
    label: 'Data set',
    cell: ({ data_set_id, is_new_data_set }) => (
      <span class="inline-flex items-center gap-1.5">
        {data_set_id === undefined ? <span class="text-muted">—</span> : `#${data_set_id}`}
        {is_new_data_set && <Badge tone="info">New</Badge>}
      </span>
    ),
  },
  {
    id: 'piece',
    label: 'Piece',
    align: 'end',
    cell: ({ piece_id }) => (piece_id === undefined ? <span class="text-muted">—</span> : `#${piece_id}`),
  },
  { id: 'transfer', label: 'Transfer', wide: true, cell: ({ transfer_method }) => transferLabels[transfer_method] },
  { id: 'url', label: 'Retrieval', cell: ({ retrieval_url }) => <Retrieval url={retrieval_url} /> },
]

const Retrieval = ({ url }: { url: string | undefined }) => {
  const href = safeUrl(url)
  if (href === undefined) return <Copyable text={url} label="retrieval URL" />
  return (
    <span class="inline-flex items-center gap-1">
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer"
        title={href}
        class="inline-flex items-center gap-1 text-accent hover:underline"
      >
        Open
        <Icon name="external-link" size={13} />
        <span class="sr-only"> the copy at the provider in a new tab</span>
      </a>
      <CopyButton text={href} label="retrieval URL" />
    </span>
  )
}
