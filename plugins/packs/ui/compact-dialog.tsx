import { component$, type Signal } from '@builder.io/qwik'
import { type Answer, Confirm, call, formatBytes, formatMoney, formatPlural, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { paysToCompact } from './pack-words-policy.ts'

type Pack = Answer<'GET /packs'>['packs'][number]

/** Says what a pack without deleted bytes costs and saves, before the pack is replaced by it. */
export const CompactDialog = component$<{ open: Signal<boolean>; pack: Pack }>((props) => {
  const compact = useAction$((id: number) => call('POST /packs/:id/compact', { params: { id: String(id) } }))
  const { id, members, living_bytes: living, dead_bytes: dead, compaction } = props.pack
  return (
    <Confirm
      open={props.open}
      level="review"
      changes="POST /packs/:id/compact"
      title={`Compact pack ${id}?`}
      description="A new pack takes its objects. The earlier one is removed when the new one has all copies."
      confirmLabel="Compact"
      pending={compact.isPending}
      error={compact.error?.message}
      rows={[
        { label: 'Objects', to: formatPlural(members, 'object') },
        { label: 'Bytes', from: formatBytes(living + dead), to: formatBytes(living) },
        ...(compaction
          ? [
              { label: 'Fees at once', to: `${formatMoney(compaction.fees, { up: true })} USDFC` },
              { label: `Saved in ${formatPlural(compaction.months, 'month')}`, to: `${formatMoney(compaction.saved)} USDFC` },
            ]
          : []),
      ]}
      onConfirm$={async () => {
        const { id: packId } = props.pack
        if (!(await compact.run(packId))) return
        props.open.value = false
        invalidate(['GET /packs'])
        toast({ title: `Pack ${packId} is being compacted` })
      }}
    >
      {paysToCompact(props.pack) === false && (
        <p class="text-sm text-muted">The fees are above what it saves. svc compacts a pack by itself when it saves more.</p>
      )}
    </Confirm>
  )
})
