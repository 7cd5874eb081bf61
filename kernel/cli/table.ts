/** Rows under a header in capitals, columns two spaces apart. A cell is one line of printable text, whatever it came as. */
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

/** Much of it comes from strangers, and a terminal obeys control characters. */
const onOneLine = (text: string): string => text.replace(/[\p{C}\s]+/gu, ' ').trim()

/** Code points, so that an accented or a dash character counts once. */
const widthOf = (text: string): number => [...text].length
