/** Address of the page with one member of its query changed; the others stay. Pure. */
export function changeSearch(address: string, changes: Readonly<Record<string, string | undefined>>): string {
  const [path = '/', search = ''] = address.split('?')
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
