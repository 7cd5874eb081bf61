/** Rows under a header in capitals, columns two spaces apart. Control characters and line breaks in cells are replaced. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header.map((title) => title.toUpperCase()), ...rows.map((row) => row.map(onOneLine))]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))))
  return lines
    .map((line) =>
      widths
        .map((width, column) => (line[column] ?? '') + ' '.repeat(width - widthOf(line[column] ?? '')))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `Label: value` lines; pairs without a value are left out. */
export function formatFacts(facts: readonly (readonly [label: string, value: string | number | null | undefined])[]): string {
  return facts
    .flatMap(([label, value]) => (value === undefined || value === null || value === '' ? [] : `${label}: ${onOneLine(String(value))}`))
    .join('\n')
}

/** Replaces control characters: cells may hold untrusted text, and a terminal executes them. */
export const onOneLine = (text: string): string => text.replace(/[\p{C}\s]+/gu, ' ').trim()

/** Counts code points, so that an accented letter or a dash counts once. */
const widthOf = (text: string): number => [...text].length
