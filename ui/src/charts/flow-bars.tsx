import { component$ } from '@builder.io/qwik'
import { formatCount } from '../kit/format/counts.ts'
import { ChartFrame } from './chart-frame.tsx'
import { Segments } from './segments.tsx'

export interface FlowRow {
  readonly id: string
  readonly label: string
  /** Makes the label a link. */
  readonly to?: string | undefined
  readonly running: number
  readonly queued: number
  readonly waiting: number
  readonly failed: number
}

const states = [
  { id: 'running', label: 'Running', fill: 'fill-c1' },
  { id: 'queued', label: 'Queued', fill: 'fill-c2' },
  { id: 'waiting', label: 'Waiting', fill: 'fill-neutral-fill' },
  { id: 'failed', label: 'Failed', fill: 'fill-danger-fill' },
] as const

/** Open tasks by operation and state, all bars to one scale. */
export const FlowBars = component$<{ label: string; rows: readonly FlowRow[] }>(({ label, rows }) => {
  const most = Math.max(1, ...rows.map((row) => openOf(row) + row.failed))
  return (
    <ChartFrame
      label={label}
      summary={rows.map((row) => `${row.label}: ${textOf(row)}`).join('. ')}
      legend={states.map(({ label: text, fill }) => ({ label: text, swatch: fill }))}
      table={{
        columns: ['Operation', ...states.map(({ label: text }) => text)],
        rows: rows.map((row) => [row.label, ...states.map(({ id }) => formatCount(row[id]))]),
      }}
    >
      <ul class="flex flex-col gap-3">
        {rows.map((row) => (
          <li key={row.id}>
            <div class="mb-1 flex items-baseline justify-between gap-3 text-xs">
              {row.to ? (
                <a href={row.to} class="truncate rounded-sm font-medium hover:underline">
                  {row.label}
                </a>
              ) : (
                <span class="truncate font-medium">{row.label}</span>
              )}
              <span class={row.failed > 0 ? 'whitespace-nowrap text-danger' : 'whitespace-nowrap text-muted'}>{textOf(row)}</span>
            </div>
            <Segments parts={states.map(({ id, fill }) => ({ value: row[id], fill }))} total={most} height={8} />
          </li>
        ))}
      </ul>
    </ChartFrame>
  )
})

const openOf = ({ running, queued, waiting }: FlowRow) => running + queued + waiting

const textOf = (row: FlowRow) => `${formatCount(openOf(row))} open${row.failed > 0 ? `, ${formatCount(row.failed)} failed` : ''}`
