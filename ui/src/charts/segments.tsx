import type { Numeric } from '../kit/format/absent.ts'
import { toPercent } from './chart-figures.ts'

interface Segment {
  readonly value: Numeric
  readonly fill: string
}

/** The bar itself: rectangles with a gap between them. Text beside it says the same. */
export const Segments = ({ parts, total, height = 10 }: { parts: readonly Segment[]; total: Numeric; height?: number | undefined }) => {
  let x = 0
  return (
    <svg width="100%" height={height} aria-hidden="true" class="block overflow-hidden rounded-sm bg-line">
      {parts.map(({ value, fill }, index) => {
        const width = toPercent(value, total)
        const start = x
        x += width
        return (
          width > 0 && (
            <rect key={index} x={`${start}%`} width={`${width}%`} height={height} class={`${fill} stroke-panel`} stroke-width="1.5" />
          )
        )
      })}
    </svg>
  )
}
