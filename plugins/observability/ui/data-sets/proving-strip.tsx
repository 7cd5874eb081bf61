import type { DataSet } from './describe-data-set.ts'
import { type ProvingDay, type StripCell, stripText, toStrip } from './proving-policy.ts'

const cellWidth = 3
const step = 4
const height = 18

/** A missed day is taller, so that it does not differ by colour alone. */
const looks: Readonly<Record<StripCell['state'], { readonly fill: string; readonly height: number }>> = {
  unseen: { fill: 'fill-line', height: 3 },
  proven: { fill: 'fill-success-fill', height: 10 },
  partly: { fill: 'fill-warning-fill', height },
  missed: { fill: 'fill-danger-fill', height },
}

/** Six weeks of proofs, a bar for each day, the newest at the right. */
export const ProvingDays = ({ days }: { days: readonly ProvingDay[] }) => {
  const cells = toStrip(days)
  const text = stripText(days)
  return (
    <span class="inline-block align-middle" data-tooltip={text}>
      <svg role="img" aria-label={text} width={cells.length * step - (step - cellWidth)} height={height} class="block">
        {cells.map(({ daysAgo, state }, index) => (
          <rect
            key={daysAgo}
            x={index * step}
            y={height - looks[state].height}
            width={cellWidth}
            height={looks[state].height}
            rx="1"
            class={looks[state].fill}
          />
        ))}
      </svg>
    </span>
  )
}

/** The strip of a data set of the list; a dash before the first proving period. */
export const ProvingStrip = ({ proving }: { proving: DataSet['facts']['proving'] }) =>
  proving?.days ? <ProvingDays days={proving.days} /> : <span class="text-muted">—</span>
