import { component$, Slot, useId, useSignal } from '@builder.io/qwik'
import { showHidden } from '../kit/format/ids.ts'
import { Icon } from '../kit/icon.tsx'

/** The same facts as the picture, in words and figures. */
interface ChartTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

interface LegendItem {
  readonly label: string
  /** Class of the swatch, such as `fill-c1`. */
  readonly swatch: string
  /** Pattern of its line, so that it differs in more than colour. */
  readonly dash?: string | undefined
  /** Figure beside it. */
  readonly value?: string | undefined
}

interface ChartFrameProps {
  label: string
  /** What the picture says, in one or two sentences, for screen readers. */
  summary: string
  table: ChartTable
  legend?: readonly LegendItem[] | undefined
  class?: string | undefined
}

/** Around every picture: text summary, legend, and a button that shows the same facts as a table. The slot is the picture. */
export const ChartFrame = component$<ChartFrameProps>(({ label, summary, table, legend = [], class: extra }) => {
  const asTable = useSignal(false)
  const id = useId()
  return (
    <figure aria-labelledby={`${id}-label`} class={['m-0 flex min-w-0 flex-col gap-2', extra]}>
      <div id={`${id}-label`} class="sr-only">
        {label}. {summary}
      </div>
      <div class={['relative min-w-0', asTable.value && 'hidden']}>
        <Slot />
      </div>
      {asTable.value && <FactsTable label={label} table={table} />}
      <div class="flex min-w-0 items-end justify-between gap-3">
        <Legend items={legend} />
        <button
          type="button"
          aria-pressed={asTable.value}
          aria-label={`View ${label} as table`}
          data-tooltip={asTable.value ? 'View as picture' : 'View as table'}
          onClick$={() => {
            asTable.value = !asTable.value
          }}
          class="kit-ease inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-muted -me-1 hover:bg-sunken hover:text-fg aria-pressed:bg-sunken aria-pressed:text-fg"
        >
          <Icon name="table" size={14} />
        </button>
      </div>
    </figure>
  )
})

const Legend = ({ items }: { items: readonly LegendItem[] }) => (
  <ul class="flex min-w-0 flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
    {items.map(({ label, swatch, dash, value }) => (
      <li key={label} class="flex items-center gap-1.5">
        {dash === undefined ? (
          <svg width="10" height="10" aria-hidden="true" class={swatch}>
            <rect width="10" height="10" rx="3" />
          </svg>
        ) : (
          <svg width="18" height="10" aria-hidden="true" class={swatch}>
            <path d="M1 5H17" stroke-width="2.5" stroke-dasharray={dash} />
          </svg>
        )}
        <span class="truncate">{label}</span>
        {value !== undefined && <span class="font-medium text-fg">{value}</span>}
      </li>
    ))}
  </ul>
)

const FactsTable = ({ label, table: { columns, rows } }: { label: string; table: ChartTable }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <section aria-label={`${label}: table`} tabIndex={0} class="max-h-64 overflow-auto rounded-md border">
    <table class="w-full text-xs">
      <thead class="text-muted">
        <tr>
          {columns.map((column, index) => (
            <th
              key={column}
              scope="col"
              class={['sticky top-0 bg-sunken px-3 py-1.5 font-medium whitespace-nowrap', index === 0 ? 'text-start' : 'text-end']}
            >
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody class="divide-y">
        {rows.map((row, line) => (
          <tr key={`${line} ${row[0]}`}>
            {row.map((cell, index) =>
              index === 0 ? (
                <th key={columns[index]} scope="row" class="max-w-60 truncate px-3 py-1.5 text-start font-normal">
                  <bdi>{showHidden(cell)}</bdi>
                </th>
              ) : (
                <td key={columns[index]} class="px-3 py-1.5 text-end whitespace-nowrap">
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
