import type { JSXOutput, QRL, Signal } from '@builder.io/qwik'
import type { MenuItem } from '../menu.tsx'

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
  /**
   * Shown on phones in the second line of a row, at most three of a table: other columns but the name are left out there. A text is a word
   * after the value, such as `objects`.
   */
  readonly phone?: boolean | string | undefined
  /** Makes the column sortable. Only for lists whose rows are all in hand. */
  readonly sort?: ((row: T) => string | number) | undefined
}

export interface TableProps<T> {
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
