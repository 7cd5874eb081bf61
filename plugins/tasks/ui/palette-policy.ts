/** The id that a text of the command palette names: `42`, `#42`, `task 42`. */
export function readPaletteId(text: string): string | undefined {
  const id = /^(?:task\s*)?#?([1-9]\d{0,14})$/i.exec(text.trim())?.[1]
  return id
}
