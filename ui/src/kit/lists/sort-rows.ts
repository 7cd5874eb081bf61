/** The order of rows by a column. Pure. */

export interface Sorting {
  /** Id of the column. */
  readonly id: string
  readonly isDescending: boolean
}

interface Sortable {
  readonly id: string
  readonly sort?: ((row: never) => string | number) | undefined
}

/** Ascending, then descending, then the order of the list. */
export function turnSorting(sorting: Sorting | undefined, id: string): Sorting | undefined {
  if (sorting?.id !== id) return { id, isDescending: false }
  return sorting.isDescending ? undefined : { id, isDescending: true }
}

/** Rows with the same value stay in the order of the list. */
export function sortRows<T>(rows: readonly T[], columns: readonly Sortable[], sorting: Sorting | undefined): readonly T[] {
  const sort = columns.find(({ id }) => id === sorting?.id)?.sort as ((row: T) => string | number) | undefined
  if (!sorting || !sort) return rows
  const sign = sorting.isDescending ? -1 : 1
  return rows
    .map((row) => ({ row, value: sort(row) }))
    .sort((a, b) => sign * compare(a.value, b.value))
    .map(({ row }) => row)
}

const collator = new Intl.Collator('en', { numeric: true })

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}
