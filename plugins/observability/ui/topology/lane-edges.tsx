import { toneStroke } from '@svc/ui-kit'
import type { LaneEdge, LaneSet, NodeRef } from './lanes-policy.ts'

interface LaneEdgesProps {
  edges: readonly LaneEdge[]
  height: number
  bright: ReadonlySet<NodeRef> | undefined
}

/** Lines between two lanes. The drawing is stretched to the gap, so that nothing has to be measured. */
export const LaneEdges = ({ edges, height, bright }: LaneEdgesProps) => (
  <svg
    viewBox={`0 0 100 ${height}`}
    preserveAspectRatio="none"
    width="100%"
    height={height}
    aria-hidden="true"
    class="mt-6 block overflow-visible"
  >
    {edges.map((edge) => (
      <g
        key={`${edge.from} ${edge.to}`}
        class={['kit-ease', bright && !(bright.has(edge.from) && bright.has(edge.to)) ? 'opacity-15' : '']}
      >
        <Line {...edge} />
        {edge.set.replacing && <Arrow y={edge.toY} />}
      </g>
    ))}
  </svg>
)

const Line = ({ fromY, toY, set }: LaneEdge) => (
  <path
    d={`M0 ${fromY}C50 ${fromY} 50 ${toY} 100 ${toY}`}
    fill="none"
    vector-effect="non-scaling-stroke"
    stroke-width={set.retired ? 1 : 1.75}
    stroke-dasharray={set.replacing ? '5 4' : set.retired ? '1 3' : undefined}
    class={lookOf(set)}
  />
)

const Arrow = ({ y }: { y: number }) => (
  <path
    d={`M92 ${y - 4}L100 ${y}L92 ${y + 4}`}
    fill="none"
    vector-effect="non-scaling-stroke"
    stroke-width="1.75"
    class="stroke-info-fill"
  />
)

function lookOf({ retired, replacing, tone }: LaneSet): string {
  if (retired) return 'stroke-neutral-fill'
  return replacing ? 'stroke-info-fill' : toneStroke[tone]
}
