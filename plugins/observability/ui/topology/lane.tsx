import { $, component$, type QRL, type Signal } from '@builder.io/qwik'
import { Icon, type IconName, showHidden, type Tone, toneText } from '@svc/ui-kit'
import type { LaneKind, LaneNode, LaneSet, NodeRef } from './lanes-policy.ts'

interface LaneProps {
  kind: LaneKind
  title: string
  nodes: readonly (LaneNode | LaneSet)[]
  /** Pixels above the first node. */
  top: number
  active: Signal<NodeRef | undefined>
  selected: NodeRef | undefined
  bright: ReadonlySet<NodeRef> | undefined
  onSelect$?: QRL<(node: NodeRef) => void> | undefined
}

const icons: Readonly<Record<Tone, IconName>> = {
  success: 'circle-check',
  warning: 'triangle-alert',
  danger: 'circle-x',
  info: 'info',
  neutral: 'circle-dashed',
}

const edges: Readonly<Record<Tone, string>> = {
  success: 'border-success-edge',
  warning: 'border-warning-fill',
  danger: 'border-danger-fill',
  info: 'border-info-edge',
  neutral: 'border-edge border-dashed',
}

/** One column of the map: a list of buttons, each 48 of 56 pixels high. */
export const Lane = component$<LaneProps>(({ kind, title, nodes, top, active, selected, bright, onSelect$ }) => {
  // Not by opacity: the text keeps its contrast.
  const isDim = (ref: NodeRef) => bright !== undefined && !bright.has(ref)
  return (
    <div class="min-w-0">
      <div aria-hidden="true" class="h-6 text-xs font-medium text-muted">
        {title}
      </div>
      <ul
        aria-label={title}
        data-roving="vertical"
        style={{ paddingTop: `${top}px` }}
        onPointerLeave$={() => clear(active)}
        onFocusOut$={() => clear(active)}
      >
        {nodes.map((node, index) => {
          const ref: NodeRef = `${kind}:${node.id}`
          const show = $(() => {
            active.value = ref
          })
          return (
            <li key={ref} class="flex h-14 items-center">
              <button
                type="button"
                data-roving-item=""
                tabIndex={index === 0 ? 0 : -1}
                aria-pressed={selected === ref}
                title={`${showHidden(node.label)}: ${node.state}`}
                onPointerEnter$={show}
                onFocusIn$={show}
                onClick$={() => onSelect$?.(ref)}
                class={[
                  'kit-ease flex h-12 w-full min-w-0 items-center rounded-md border bg-panel px-1.5 text-start sm:gap-2.5 sm:px-3 hover:bg-sunken aria-pressed:bg-accent-soft',
                  isDim(ref) ? 'border-line text-muted' : isRetired(node) ? 'border-dashed text-muted' : edges[node.tone],
                ]}
              >
                <Icon
                  name={isRetired(node) ? 'circle-slash' : icons[node.tone]}
                  class={`max-sm:hidden ${isDim(ref) ? 'text-muted' : toneText[node.tone]}`}
                />
                <span class="min-w-0 flex-1">
                  <span class="block truncate text-2xs text-muted">
                    <span class="max-sm:hidden">{noteOf(node)}</span>
                    {node.state}
                  </span>
                  <bdi class="block truncate text-sm font-medium">{showHidden(node.label)}</bdi>
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
})

const isRetired = (node: LaneNode | LaneSet) => 'retired' in node && Boolean(node.retired)

const noteOf = (node: LaneNode | LaneSet) => ('note' in node && node.note ? `${node.note} · ` : '')

const clear = (active: Signal<NodeRef | undefined>) => {
  active.value = undefined
}
