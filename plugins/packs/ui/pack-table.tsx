import { type Answer, Badge, Bytes, type Column, Count, Empty, Money, Table } from '@svc/ui-kit'
import { livingPercent, paysToCompact, wordOf } from './pack-words-policy.ts'

type Pack = Answer<'GET /packs'>['packs'][number]

/** Packs with their living and dead bytes, and what a compaction costs and saves. */
export const PackTable = ({ packs, isPacked }: { packs: readonly Pack[]; isPacked: boolean }) => (
  <Table label="Packs" columns={columns} rows={packs} rowKey={({ id }) => String(id)} rowName={({ id }) => `pack ${id}`}>
    <Empty
      q:slot="empty"
      icon="boxes"
      title="No packs"
      text={
        isPacked
          ? 'Small objects are packed when enough of them wait, or after a short time.'
          : 'Each object is a piece of its own. With packing, small objects share pieces and their fees.'
      }
    />
  </Table>
)

const Compaction = ({ pack }: { pack: Pack }) => {
  const { compaction, dead_bytes: dead } = pack
  if (!compaction || dead === 0) return null
  return (
    <span class="text-xs">
      costs <Money value={compaction.fees} price />, saves <Money value={compaction.saved} price /> in {compaction.months} months
      {paysToCompact(pack) === false && <span class="text-muted">: does not pay yet</span>}
    </span>
  )
}

const columns: readonly Column<Pack>[] = [
  { id: 'pack', label: 'Pack', title: true, cell: ({ id }) => `Pack ${id}` },
  {
    id: 'state',
    label: 'State',
    cell: (pack) => (
      <Badge tone={wordOf(pack)[0]}>
        {wordOf(pack)[1]}
        {pack.state === 'storing' && `, ${pack.durable_copies} of ${pack.target_copies}`}
      </Badge>
    ),
  },
  { id: 'objects', label: 'Objects', align: 'end', cell: ({ members }) => <Count value={members} /> },
  { id: 'size', label: 'Size', align: 'end', cell: ({ size }) => <Bytes value={size} /> },
  { id: 'living', label: 'Living', align: 'end', wide: true, cell: (pack) => `${livingPercent(pack)} %` },
  { id: 'dead', label: 'Deleted bytes', align: 'end', cell: ({ dead_bytes: dead }) => <Bytes value={dead} /> },
  { id: 'compaction', label: 'Compaction', grow: true, wide: true, cell: (pack) => <Compaction pack={pack} /> },
]
