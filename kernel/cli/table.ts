/** Rows under a header in capitals, columns two spaces apart. Cells must not hold line breaks. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header.map((title) => title.toUpperCase()), ...rows]
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

/** Code points, so that an accented or a dash character counts once. */
const widthOf = (text: string): number => [...text].length
