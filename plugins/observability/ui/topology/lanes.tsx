import { component$, type QRL, useSignal } from '@builder.io/qwik'
import { Button, ChartFrame, formatPlural } from '@svc/ui-kit'
import { Lane } from './lane.tsx'
import { LaneEdges } from './lane-edges.tsx'
import { foldLimit, type LanesData, type NodeRef, toConnected, toLanesLayout } from './lanes-policy.ts'

interface LanesProps {
  label: string
  data: LanesData
  /** The node whose details are open. */
  selected?: NodeRef | undefined
  onSelect$?: QRL<(node: NodeRef) => void> | undefined
}

const replacing = { label: 'Replacement running', swatch: 'stroke-info-fill', dash: '5 4' }
const replaced = { label: 'Replaced', swatch: 'stroke-neutral-fill', dash: '1 3' }

/** Only lines that are in the picture. */
const toLegend = ({ sets }: LanesData) => [
  ...(sets.some((set) => set.replacing) ? [replacing] : []),
  ...(sets.some((set) => set.retired) ? [replaced] : []),
]

/** Which bucket is stored where: three lanes of buttons with lines between them. Hover and focus dim the rest; arrow keys move within a lane. */
export const Lanes = component$<LanesProps>(({ label, data, selected, onSelect$ }) => {
  const whole = useSignal(false)
  const active = useSignal<NodeRef>()
  const layout = toLanesLayout(data, whole.value)
  const focus = active.value ?? selected
  const bright = focus === undefined ? undefined : toConnected(layout.data, focus)
  const { buckets, sets, providers } = layout.data
  const lane = { active, selected, bright, onSelect$ }
  return (
    <ChartFrame label={label} summary={toSummary(data)} table={toTable(data)} legend={toLegend(data)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={`${label}: map`} tabIndex={0} class="overflow-x-auto p-0.5">
        <div class="grid grid-cols-[minmax(0,1fr)_14px_minmax(0,1fr)_14px_minmax(0,1fr)] sm:min-w-150 sm:grid-cols-[minmax(0,1fr)_minmax(40px,0.55fr)_minmax(0,1fr)_minmax(40px,0.55fr)_minmax(0,1fr)]">
          <Lane {...lane} kind="bucket" title="Buckets" nodes={buckets} top={layout.tops.bucket} />
          <LaneEdges edges={layout.left} height={layout.height} bright={bright} />
          <Lane {...lane} kind="set" title="Data sets" nodes={sets} top={layout.tops.set} />
          <LaneEdges edges={layout.right} height={layout.height} bright={bright} />
          <Lane {...lane} kind="provider" title="Providers" nodes={providers} top={layout.tops.provider} />
        </div>
      </section>
      {(layout.folded > 0 || whole.value) && (
        <Button
          size="sm"
          variant="ghost"
          class="mt-2"
          onClick$={() => {
            whole.value = !whole.value
          }}
        >
          {whole.value ? `Show the first ${foldLimit} buckets` : `Show ${layout.folded} more buckets`}
        </Button>
      )}
    </ChartFrame>
  )
})

const toSummary = ({ buckets, sets, providers }: LanesData) =>
  `${formatPlural(buckets.length, 'bucket')} on ${formatPlural(sets.length, 'data set')} of ${formatPlural(providers.length, 'provider')}. ` +
  [...sets, ...providers]
    .filter(({ tone }) => tone === 'warning' || tone === 'danger')
    .map(({ label, state }) => `${label}: ${state}`)
    .join(', ')

function toTable({ buckets, sets, providers }: LanesData) {
  const nameOf = (nodes: readonly { id: string; label: string }[], id: string) => nodes.find((node) => node.id === id)?.label ?? id
  return {
    columns: ['Bucket', 'Data set', 'Provider', 'State'],
    rows: sets.map((set) => [
      nameOf(buckets, set.bucket),
      set.label,
      nameOf(providers, set.provider),
      [set.state, set.retired && 'replaced', set.replacing && 'replacement running'].filter(Boolean).join(', '),
    ]),
  }
}
