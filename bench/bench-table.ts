// Result of a measurement, and its rendering as text.

export interface BenchTable {
  readonly name: string
  readonly rows: readonly BenchRow[]
}

export interface BenchRow {
  readonly label: string
  /** Is undefined, shown as –, when the server lacks the operation. */
  readonly value: number | undefined
  readonly unit: string
  /** Comparison with the other rows, such as a ratio. */
  readonly note?: string
  /** Numbers behind the note, for programs. */
  readonly figures?: Readonly<Record<string, number | readonly number[] | undefined>>
}

/** One line for the name and one per row; values are right-aligned. */
export function renderBenchTable(table: BenchTable): string {
  const cells = table.rows.map((row) => ({ ...row, shown: row.value?.toFixed(1) ?? '–' }))
  const labelChars = Math.max(0, ...cells.map(({ label }) => label.length))
  const valueChars = Math.max(0, ...cells.map(({ shown }) => shown.length))
  const unitChars = Math.max(0, ...cells.map(({ unit }) => unit.length))
  const lines = cells.map(({ label, shown, unit, note = '' }) =>
    `  ${label.padEnd(labelChars)}  ${shown.padStart(valueChars)} ${unit.padEnd(unitChars)}  ${note}`.trimEnd(),
  )
  return `${[table.name, ...lines].join('\n')}\n`
}

/** The middle value; for an even count the upper of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined) throw new RangeError('the median needs at least one value')
  return middle
}

/** One ratio per round, because the load of the machine differs between rounds. */
export function ratiosByRound(rates: readonly number[], base: readonly number[]): number[] {
  return rates.map((rate, round) => rate / (base[round] ?? Number.NaN))
}

export function describeSpread(values: readonly number[], digits: number): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`
}
