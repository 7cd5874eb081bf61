import { $, component$, useSignal } from '@builder.io/qwik'
import { type Answer, Badge, Bytes, type Column, Count, Empty, type MenuItem, Money, Table } from '@svc/ui-kit'
import { CompactDialog } from './compact-dialog.tsx'
import { isFilled, livingPercent, paysToCompact, wordOf } from './pack-words-policy.ts'

type Pack = Answer<'GET /packs'>['packs'][number]

/** Packs with their living and dead bytes, and what a compaction costs and saves. */
export const PackTable = component$<{ packs: readonly Pack[]; isPacked: boolean }>((props) => {
  const isAsking = useSignal(false)
  const asked = useSignal<Pack>()
  return (
    <>
      <Table
        label="Packs"
        columns={columns}
        rows={props.packs}
        rowKey={({ id }) => String(id)}
        rowName={({ id }) => `pack ${id}`}
        menu={(pack) => (pack.state === 'stored' && isFilled(pack) && pack.dead_bytes > 0 ? compactItems : [])}
        onMenu$={$((_: string, key: string) => {
          asked.value = props.packs.find(({ id }) => String(id) === key)
          isAsking.value = asked.value !== undefined
        })}
      >
        <Empty
          q:slot="empty"
          icon="boxes"
          title="No packs"
          text={
            props.isPacked
              ? 'Small objects are packed when enough of them wait, or after a short time.'
              : 'Each object is a piece of its own. With packing, small objects share pieces and their fees.'
          }
        />
      </Table>
      {asked.value && <CompactDialog open={isAsking} pack={asked.value} />}
    </>
  )
})

const compactItems: readonly MenuItem[] = [{ id: 'compact', label: 'Compact', changes: 'POST /packs/:id/compact' }]

const Compaction = ({ pack }: { pack: Pack }) => {
  const { compaction, dead_bytes: dead } = pack
  if (!compaction || !isFilled(pack) || dead === 0) return null
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
  { id: 'living', label: 'Living', align: 'end', wide: true, cell: (pack) => (isFilled(pack) ? `${livingPercent(pack)} %` : null) },
  { id: 'dead', label: 'Deleted bytes', align: 'end', cell: (pack) => (isFilled(pack) ? <Bytes value={pack.dead_bytes} /> : null) },
  { id: 'compaction', label: 'Compaction', grow: true, wide: true, cell: (pack) => <Compaction pack={pack} /> },
]
