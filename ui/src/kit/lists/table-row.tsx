// biome-ignore-all lint/a11y/noRedundantRoles: below 640 px the parts of a table are blocks, which ends their own roles
import { component$, type JSXOutput, type Signal } from '@builder.io/qwik'
import { CheckMark } from '../fields/checkbox.tsx'
import { Menu } from '../menu.tsx'
import type { Column, TableProps } from './table-props.ts'

export const bodyCell =
  'h-(--row) border-b px-3 py-(--row-pad) align-middle first:ps-4 last:pe-4 @max-[640px]:border-0 @max-[640px]:px-0! @max-[640px]:py-0.5'
/** Below 640 px a row is stacked: one line for each column, or two lines when columns are chosen for phones. */
const rowLooks = {
  stacked: {
    row: '@max-[640px]:block @max-[640px]:py-2.5',
    cell: '@max-[640px]:flex @max-[640px]:h-auto @max-[640px]:min-h-7 @max-[640px]:items-center @max-[640px]:justify-between @max-[640px]:gap-4',
    select: '@max-[640px]:block @max-[640px]:h-auto',
  },
  twoLines: {
    row: '@max-[640px]:grid @max-[640px]:grid-cols-[auto_auto_minmax(0,1fr)] @max-[640px]:items-center @max-[640px]:gap-x-3 @max-[640px]:py-2',
    cell: '@max-[640px]:block @max-[640px]:h-auto @max-[640px]:min-w-0 @max-[640px]:overflow-hidden @max-[640px]:text-start @max-[640px]:text-xs',
    select: '@max-[640px]:absolute @max-[640px]:top-2.5 @max-[640px]:left-4 @max-[640px]:h-auto',
  },
} as const

interface TableRowProps {
  readonly table: TableProps<unknown>
  readonly row: unknown
  /** Number from 1 with the head, of a table with more rows than the document has. */
  readonly index: number | undefined
}

/** A component, so that a row stays as it is while others scroll into view. */
export const TableRow = component$<TableRowProps>(({ table, row, index }) => {
  const key = table.rowKey(row)
  const name = table.rowName?.(row) ?? key
  const { columns, selected, menu } = table
  const on = selected?.value.includes(key) ?? false
  const hasTwoLines = columns.some(({ phone }) => phone)
  const looks = rowLooks[hasTwoLines ? 'twoLines' : 'stacked']
  return (
    <tr
      role="row"
      tabIndex={-1}
      data-row={key}
      aria-rowindex={index}
      aria-selected={selected ? on : undefined}
      class={[
        'scroll-my-24 outline-offset-[-2px] @max-[640px]:relative @max-[640px]:border-b @max-[640px]:px-4 @max-[640px]:last:border-b-0 [&:last-child>td]:border-b-0',
        looks.row,
        hasTwoLines && selected && '@max-[640px]:ps-12',
        on ? 'bg-accent-soft' : 'hover:bg-sunken/60',
      ]}
    >
      {selected && (
        <td role="cell" class={[bodyCell, looks.select, 'w-9 pe-0']}>
          <SelectRow selected={selected} rowId={key} name={name} />
        </td>
      )}
      {columns.map((column) => dataCell(column, column.cell(row), hasTwoLines))}
      {menu && (
        <td
          role="cell"
          class={[bodyCell, 'w-12 text-end @max-[640px]:absolute @max-[640px]:top-1.5 @max-[640px]:right-2 @max-[640px]:h-auto']}
        >
          <Menu label={`Actions for ${name}`} items={menu(row)} of={key} onChoose$={table.onMenu$} />
        </td>
      )}
    </tr>
  )
})

function dataCell(column: Column<unknown>, content: JSXOutput, hasTwoLines: boolean): JSXOutput {
  const isLeftOut = content === null || (hasTwoLines && !column.title && !column.phone)
  return (
    <td
      key={column.id}
      role="cell"
      data-row-name={column.title ? '' : undefined}
      class={[
        bodyCell,
        rowLooks[hasTwoLines ? 'twoLines' : 'stacked'].cell,
        column.align === 'end' ? 'text-end whitespace-nowrap' : '',
        column.grow ? 'max-w-0 truncate @max-[640px]:max-w-none' : 'whitespace-nowrap',
        column.wide && '@min-[641px]:@max-[960px]:hidden',
        isLeftOut && '@max-[640px]:hidden!',
        column.title && '@max-[640px]:font-medium @max-[640px]:pe-10!',
        column.title && hasTwoLines && '@max-[640px]:col-span-full @max-[640px]:text-sm!',
      ]}
    >
      {!column.title && !hasTwoLines && (
        <span aria-hidden="true" class="hidden shrink-0 text-xs text-muted @max-[640px]:inline">
          {column.label}
        </span>
      )}
      <span class={hasTwoLines ? '@max-[640px]:block @max-[640px]:truncate' : '@max-[640px]:min-w-0 @max-[640px]:truncate'}>
        {content}
        {typeof column.phone === 'string' && <span class="hidden @max-[640px]:inline"> {column.phone}</span>}
      </span>
    </td>
  )
}

const SelectRow = component$<{ selected: Signal<readonly string[]>; rowId: string; name: string }>(({ selected, rowId, name }) => (
  <CheckMark
    value={selected.value.includes(rowId)}
    aria-label={`Select ${name}`}
    onValue$={(on) => {
      const others = selected.value.filter((key) => key !== rowId)
      selected.value = on ? [...others, rowId] : others
    }}
  />
))
