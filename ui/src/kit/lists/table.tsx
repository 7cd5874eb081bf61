// biome-ignore-all lint/a11y/noRedundantRoles: below 640 px the parts of a table are blocks, which ends their own roles
import { component$, type JSXChildren, type JSXOutput, noSerialize, type Signal, Slot, useSignal } from '@builder.io/qwik'
import { ErrorAlert } from '../error-alert.tsx'
import { CheckMark } from '../fields/checkbox.tsx'
import { Icon } from '../icon.tsx'
import { Skeleton } from '../skeleton.tsx'
import { installRowKeys } from './row-keys.ts'
import { type Sorting, sortRows, turnSorting } from './sort-rows.ts'
import type { Column, TableProps } from './table-props.ts'
import { bodyCell, TableRow } from './table-row.tsx'
import { wholeListLimit } from './table-window.ts'
import { useRowWindow } from './use-row-window.ts'

/**
 * Rows with a head that stays in view; stacked below 640 px of its own width. More than 120 rows scroll in a window of their own,
 * with fewer than 60 of them in the document. Slot `empty`: what to show when there are no rows.
 */
export const Table = <T,>({ children, ...props }: TableProps<T> & { children?: JSXChildren }) => (
  // The functions of a page never leave its process; Qwik refuses them in properties otherwise.
  <TableView
    {...(props as unknown as TableProps<unknown>)}
    columns={noSerialize([...props.columns] as unknown as Column<unknown>[]) as readonly Column<unknown>[]}
    rowKey={noSerialize(props.rowKey as TableProps<unknown>['rowKey']) as TableProps<unknown>['rowKey']}
    rowName={noSerialize(props.rowName as TableProps<unknown>['rowName'])}
    menu={noSerialize(props.menu as TableProps<unknown>['menu'])}
  >
    {children}
  </TableView>
)

const TableView = component$((props: TableProps<unknown>) => {
  installRowKeys()
  const count = props.rows?.length ?? 0
  const long = count > wholeListLimit
  const { box, view } = useRowWindow(props)
  const sorting = useSignal<Sorting>()
  const rows = props.rows && sortRows(props.rows, props.columns, sorting.value)
  const { start, end, above, below } = view.value
  const shown = rows?.slice(start, long ? end : count)
  return (
    <div class="@container min-w-0">
      <ErrorAlert error={props.error === undefined ? undefined : { message: props.error }} onRetry$={props.onRetry$} class="p-3" />
      {hasTable(props) && (
        <div
          ref={box}
          {...(long ? { role: 'region', tabIndex: 0, 'aria-label': props.label } : {})}
          class={
            long
              ? 'relative max-h-[70dvh] overflow-y-auto overscroll-contain outline-offset-[-2px] [contain:content] [overflow-anchor:none] [&_*]:transition-none!'
              : ''
          }
        >
          <table
            role="table"
            aria-label={props.label}
            aria-busy={props.rows ? undefined : 'true'}
            aria-rowcount={long ? count + 1 : undefined}
            class="w-full border-separate border-spacing-0 text-[length:var(--row-text)] @max-[640px]:block"
          >
            <TableHead {...props} long={long} sorting={sorting} />
            <tbody role="rowgroup" data-list="" class="@max-[640px]:block">
              {long && <Spacer height={above} />}
              {shown?.map((row, index) => (
                <TableRow key={props.rowKey(row)} table={props} row={row} index={long ? start + index + 2 : undefined} />
              ))}
              {long && <Spacer height={below} />}
              {!props.rows && skeletonRows(props)}
            </tbody>
          </table>
        </div>
      )}
      {props.rows?.length === 0 && <Slot name="empty" />}
    </div>
  )
})

/** Not before the first answer when that failed, and not for an empty list: a table without rows has nothing to read. */
const hasTable = ({ rows, error }: TableProps<unknown>) => (rows ? rows.length > 0 : error === undefined)

const Spacer = ({ height }: { height: number }) => {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
  return <tr aria-hidden="true" class="@max-[640px]:block" style={{ height: `${height}px` }} />
}

const headCell =
  'sticky top-[var(--table-top,0px)] z-10 h-9 border-b bg-panel px-3 text-xs font-medium whitespace-nowrap text-muted first:rounded-tl-lg first:ps-4 last:rounded-tr-lg last:pe-4'

const TableHead = component$<TableProps<unknown> & { long: boolean; sorting: Signal<Sorting | undefined> }>((props) => {
  const { columns, selected, menu, rows = [], rowKey, long, sorting } = props
  const keys = rows.map(rowKey)
  const chosen = selected?.value.length ?? 0
  const all = chosen > 0 && chosen === keys.length
  return (
    <thead role="rowgroup" class="@max-[640px]:sr-only">
      <tr role="row" aria-rowindex={long ? 1 : undefined}>
        {selected && (
          <th role="columnheader" scope="col" class={[headCell, 'w-9 pe-0 text-start']}>
            <CheckMark
              value={all}
              mixed={chosen > 0 && !all}
              disabled={keys.length === 0}
              aria-label="Select all rows"
              onValue$={(on) => {
                selected.value = on ? keys : []
              }}
            />
          </th>
        )}
        {columns.map(({ id, label, align, grow, wide, sort }) => (
          <th
            key={id}
            role="columnheader"
            scope="col"
            aria-sort={sort && sorting.value?.id === id ? (sorting.value.isDescending ? 'descending' : 'ascending') : undefined}
            class={[headCell, align === 'end' ? 'text-end' : 'text-start', grow && 'w-full', wide && '@max-[960px]:hidden']}
          >
            {sort ? <SortButton id={id} label={label} sorting={sorting} /> : label}
          </th>
        ))}
        {menu && (
          <th role="columnheader" scope="col" class={[headCell, 'w-12']}>
            <span class="sr-only">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  )
})

const SortButton = component$<{ id: string; label: string; sorting: Signal<Sorting | undefined> }>(({ id, label, sorting }) => (
  <button
    type="button"
    class="inline-flex h-6 items-center gap-1 rounded-sm hover:text-fg"
    onClick$={() => {
      sorting.value = turnSorting(sorting.value, id)
    }}
  >
    {label}
    {sorting.value?.id === id && <Icon name={sorting.value.isDescending ? 'chevron-down' : 'chevron-up'} size={12} />}
  </button>
))

function skeletonRows({ columns, selected, menu, skeletonRows: count = 5 }: TableProps<unknown>): JSXOutput {
  const cells = columns.length + (selected ? 1 : 0) + (menu ? 1 : 0)
  return Array.from({ length: count }, (_, row) => (
    <tr
      key={row}
      role="row"
      class="@max-[640px]:block @max-[640px]:border-b @max-[640px]:px-4 @max-[640px]:last:border-b-0 @max-[640px]:py-3"
    >
      {Array.from({ length: cells }, (__, cell) => (
        <td key={cell} role="cell" class={[bodyCell, cell > 2 && '@max-[640px]:hidden', '@max-[640px]:block @max-[640px]:h-6']}>
          <Skeleton class={cell === 0 ? 'h-3.5 w-40 max-w-full' : 'h-3.5 w-16'} />
        </td>
      ))}
    </tr>
  ))
}
