/** JSON with its lines indented; other text, and JSON whose numbers would change, as it is. */
export function prettyText(text: string): string {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[') return text
  try {
    const value: unknown = JSON.parse(text)
    // A number above 2^53 would be shown as another one.
    return JSON.stringify(value).replaceAll(/\s/g, '') === text.replaceAll(/\s/g, '') ? JSON.stringify(value, null, 2) : text
  } catch {
    // It is shown as what it is: text.
    return text
  }
}
