/** Address of the page with members of its query changed; the others stay. Pure. */
export function changeSearch(address: string, changes: Readonly<Record<string, string>>): string {
  const [path = '/', search = ''] = address.split('?')
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) query.set(name, value)
  return `${path}?${query}`
}
