// biome-ignore-all lint/a11y/noRedundantRoles: below 640 px the parts of a table are blocks, which ends their own roles
import { component$, type JSXChildren, type JSXOutput, noSerialize, type QRL, type Signal, Slot, useSignal } from '@builder.io/qwik'
import { ErrorAlert } from '../error-alert.tsx'
import { CheckMark } from '../fields/checkbox.tsx'
import { Icon } from '../icon.tsx'
import { Menu, type MenuItem } from '../menu.tsx'
import { Skeleton } from '../skeleton.tsx'
import { type Sorting, sortRows, turnSorting } from './sort-rows.ts'
import { wholeListLimit } from './table-window.ts'
import { useRowWindow } from './use-row-window.ts'

export interface Column<T> {
  readonly id: string
  readonly label: string
  /** Null: nothing to say, and no line in stacked rows. */
  cell(row: T): JSXOutput
  /** Figures stand at the end. */
  readonly align?: 'start' | 'end' | undefined
  /** Takes the space that is left; its text is cut at the end of the line. One column at least should grow. */
  readonly grow?: boolean | undefined
  /** Hidden where the table is narrower than 960 px and not stacked. */
  readonly wide?: boolean | undefined
  /** The name of the row: no label above it in stacked rows. */
  readonly title?: boolean | undefined
  /** Makes the column sortable. Only for lists whose rows are all in hand. */
  readonly sort?: ((row: T) => string | number) | undefined
}

interface TableProps<T> {
  /** Name for screen readers. */
  label: string
  columns: readonly Column<T>[]
  /** Is undefined while the first page loads. */
  rows: readonly T[] | undefined
  rowKey: (row: T) => string
  /** What a row is called in its controls; its key by default. */
  rowName?: ((row: T) => string) | undefined
  /** Shown instead of rows, or above rows of an earlier answer. */
  error?: string | undefined
  onRetry$?: QRL<() => void> | undefined
  /** Keys of the selected rows; adds a column of check boxes. */
  selected?: Signal<readonly string[]> | undefined
  menu?: ((row: T) => readonly MenuItem[]) | undefined
  onMenu$?: QRL<(action: string, key: string) => void> | undefined
  /** Number of grey rows while it loads; 5 by default. */
  skeletonRows?: number | undefined
}

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
  const count = props.rows?.length ?? 0
  const long = count > wholeListLimit
  const { box, view } = useRowWindow(props)
  const sorting = useSignal<Sorting>()
  const rows = props.rows && sortRows(props.rows, props.columns, sorting.value)
  const shown = rows?.slice(view.value.start, long ? view.value.end : count)
  return (
    <div class="@container min-w-0">
      <ErrorAlert error={props.error === undefined ? undefined : { message: props.error }} onRetry$={props.onRetry$} class="p-3" />
      {hasTable(props) && (
        <div
          ref={box}
          {...(long ? { role: 'region', tabIndex: 0, 'aria-label': props.label } : {})}
          class={long ? 'relative max-h-[70dvh] overflow-y-auto overscroll-contain outline-offset-[-2px]' : ''}
        >
          <table
            role="table"
            aria-label={props.label}
            aria-busy={props.rows ? undefined : 'true'}
            aria-rowcount={long ? count + 1 : undefined}
            class="w-full border-separate border-spacing-0 text-[length:var(--row-text)] @max-[640px]:block"
          >
            <TableHead {...props} long={long} sorting={sorting} />
            <tbody role="rowgroup" class="@max-[640px]:block">
              {long && <Spacer height={view.value.above} />}
              {shown?.map((row, index) => tableRow(props, row, view.value.start + index))}
              {long && <Spacer height={view.value.below} />}
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

const bodyCell =
  'h-(--row) border-b px-3 py-1 align-middle first:ps-4 last:pe-4 @max-[640px]:border-0 @max-[640px]:px-0! @max-[640px]:py-0.5'
const stackedCell =
  '@max-[640px]:flex @max-[640px]:h-auto @max-[640px]:min-h-7 @max-[640px]:items-center @max-[640px]:justify-between @max-[640px]:gap-4'

function tableRow(props: TableProps<unknown>, row: unknown, index: number): JSXOutput {
  const key = props.rowKey(row)
  const name = props.rowName?.(row) ?? key
  const { selected, menu } = props
  const on = selected?.value.includes(key) ?? false
  return (
    <tr
      key={key}
      role="row"
      aria-rowindex={props.rows && props.rows.length > wholeListLimit ? index + 2 : undefined}
      aria-selected={selected ? on : undefined}
      class={[
        'kit-ease @max-[640px]:relative @max-[640px]:block @max-[640px]:border-b @max-[640px]:px-4 @max-[640px]:last:border-b-0 @max-[640px]:py-2.5 [&:last-child>td]:border-b-0',
        on ? 'bg-accent-soft' : 'hover:bg-sunken/60',
      ]}
    >
      {selected && (
        <td role="cell" class={[bodyCell, 'w-9 pe-0 @max-[640px]:block @max-[640px]:h-auto']}>
          <SelectRow selected={selected} rowId={key} name={name} />
        </td>
      )}
      {props.columns
        .map((column) => ({ column, content: column.cell(row) }))
        .map(({ column, content }) => (
          <td
            key={column.id}
            role="cell"
            class={[
              bodyCell,
              stackedCell,
              column.align === 'end' ? 'text-end whitespace-nowrap' : '',
              column.grow ? 'max-w-0 truncate @max-[640px]:max-w-none' : 'whitespace-nowrap',
              column.wide && '@min-[641px]:@max-[960px]:hidden',
              content === null && '@max-[640px]:hidden!',
              column.title && '@max-[640px]:font-medium @max-[640px]:pe-10!',
            ]}
          >
            {!column.title && (
              <span aria-hidden="true" class="hidden shrink-0 text-xs text-muted @max-[640px]:inline">
                {column.label}
              </span>
            )}
            <span class="@max-[640px]:min-w-0 @max-[640px]:truncate">{content}</span>
          </td>
        ))}
      {menu && (
        <td
          role="cell"
          class={[bodyCell, 'w-12 text-end @max-[640px]:absolute @max-[640px]:top-1.5 @max-[640px]:right-2 @max-[640px]:h-auto']}
        >
          <RowMenu items={menu(row)} rowId={key} name={name} onMenu$={props.onMenu$} />
        </td>
      )}
    </tr>
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

interface RowMenuProps {
  items: readonly MenuItem[]
  rowId: string
  name: string
  onMenu$?: QRL<(action: string, key: string) => void> | undefined
}

const RowMenu = component$<RowMenuProps>(({ items, rowId, name, onMenu$ }) =>
  items.length === 0 ? null : <Menu label={`Actions for ${name}`} items={items} onChoose$={(action) => onMenu$?.(action, rowId)} />,
)

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
