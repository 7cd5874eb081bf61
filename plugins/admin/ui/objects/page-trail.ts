/** Which page of a list came before a cursor: the API pages forward only. Kept while the tab is open. */
const before = new Map<string, string>()
const kept = 500

export function rememberPage(list: string, from: string, to: string): void {
  if (before.size >= kept) before.clear()
  before.set(`${list}\n${to}`, from)
}

/** The cursor of the page before; an empty text is the first page. Undefined when it is not known, as after a reload. */
export const pageBefore = (list: string, cursor: string): string | undefined => before.get(`${list}\n${cursor}`)
