import { component$, type QRL } from '@builder.io/qwik'
import { formatBytes } from '../kit/format/bytes.ts'
import { shortenId } from '../kit/format/ids.ts'
import { formatAgo, formatExactTime, type Time } from '../kit/format/times.ts'
import { Icon } from '../kit/icon.tsx'
import { useNow } from '../kit/use-now.ts'
import { ChartFrame } from './chart-frame.tsx'

export interface VersionPoint {
  readonly id: string
  readonly kind: 'version' | 'delete-marker'
  readonly time: Time
  readonly current?: boolean | undefined
  readonly size?: number | string | undefined
  /** The version that it brought back. */
  readonly restoredFrom?: string | undefined
}

interface VersionTimelineProps {
  label: string
  /** Newest first, as the API lists them. At most the newest 40 are drawn. */
  versions: readonly VersionPoint[]
  selected?: string | undefined
  onSelect$?: QRL<(id: string) => void> | undefined
}

const drawnLimit = 40
const step = 92
const arcHeight = 30

/** Versions of one key from left (old) to right (new): delete markers as bins, restores as arcs to the version brought back. */
export const VersionTimeline = component$<VersionTimelineProps>(({ label, versions, selected, onSelect$ }) => {
  const now = useNow()
  const points = versions.slice(0, drawnLimit).reverse()
  const place = new Map(points.map(({ id }, index) => [id, index]))
  const middle = (index: number) => index * step + step / 2
  return (
    <ChartFrame
      label={label}
      summary={`${versions.length} versions. ${points.map((point) => `${shortenId(point.id, 3)}, ${formatAgo(point.time, now.value)}, ${describe(point)}`).join('. ')}`}
      table={toTable(versions)}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={`${label}: timeline`} tabIndex={0} class="overflow-x-auto pb-1">
        <svg
          width={points.length * step}
          height={points.some(({ restoredFrom }) => restoredFrom !== undefined) ? arcHeight : 0}
          aria-hidden="true"
          class="block"
        >
          {points.map(({ id, restoredFrom }, index) => {
            const source = restoredFrom === undefined ? undefined : place.get(restoredFrom)
            if (source === undefined) return null
            const [from, to] = [middle(index), middle(source)]
            return (
              <path
                key={id}
                d={`M${from} ${arcHeight}C${from} 2 ${to} 2 ${to} ${arcHeight - 2}m-4 -6l4 6l4 -6`}
                fill="none"
                stroke-width="1.5"
                stroke-dasharray="4 3"
                class="stroke-info-fill"
              />
            )
          })}
        </svg>
        <ol data-roving="horizontal" class="relative flex w-max">
          <span aria-hidden="true" class="absolute top-3.5 right-10 left-10 h-px bg-edge" />
          {points.map((point, index) => (
            <li key={point.id} class="flex w-23 shrink-0 justify-center">
              <button
                type="button"
                data-roving-item=""
                tabIndex={index === points.length - 1 ? 0 : -1}
                aria-pressed={selected === point.id}
                title={`${point.id}, ${formatExactTime(point.time)}`}
                onClick$={() => onSelect$?.(point.id)}
                class="kit-ease relative flex w-20 flex-col items-center gap-1 rounded-md pb-1 text-2xs hover:bg-sunken aria-pressed:bg-accent-soft"
              >
                <span class={['flex size-7 items-center justify-center rounded-full border', markOf(point)]}>
                  <Icon name={iconOf(point)} size={14} />
                </span>
                <span class="w-full truncate text-center font-mono">{shortenId(point.id, 3)}</span>
                <span class="text-muted">{formatAgo(point.time, now.value)}</span>
                <span class="sr-only">{describe(point)}</span>
              </button>
            </li>
          ))}
        </ol>
      </section>
      {versions.length > drawnLimit && (
        <p class="text-xs text-muted">
          The newest {drawnLimit} of {versions.length} versions.
        </p>
      )}
    </ChartFrame>
  )
})

const iconOf = ({ kind, restoredFrom, current }: VersionPoint) => {
  if (kind === 'delete-marker') return 'trash' as const
  if (restoredFrom !== undefined) return 'undo-2' as const
  return current ? ('check' as const) : ('file' as const)
}

const markOf = ({ kind, current }: VersionPoint) => {
  if (kind === 'delete-marker') return 'border-warning-edge bg-warning-soft text-warning'
  return current ? 'border-transparent bg-accent text-on-accent' : 'border-edge bg-panel text-muted'
}

function describe({ kind, current, size, restoredFrom }: VersionPoint): string {
  const what = kind === 'delete-marker' ? 'delete marker' : `version of ${formatBytes(size)}`
  return [what, current && 'current', restoredFrom !== undefined && `restored from ${shortenId(restoredFrom, 3)}`]
    .filter(Boolean)
    .join(', ')
}

const toTable = (versions: readonly VersionPoint[]) => ({
  columns: ['Version', 'Kind', 'Size', 'Time'],
  rows: versions.map((version) => [
    version.id,
    version.kind === 'delete-marker' ? 'delete marker' : version.current ? 'current version' : 'version',
    formatBytes(version.size),
    formatExactTime(version.time),
  ]),
})
