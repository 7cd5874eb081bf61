/** Which page of a list came before a cursor: the API pages forward only. Kept while the tab is open. */
const before = new Map<string, { readonly cursor: string; readonly rows: number | undefined }>()
const kept = 500

/** `rows`: of the page that is left. */
export function rememberPage(list: string, page: { readonly cursor: string; readonly rows: number }, next: string): void {
  const earlier = rowsBefore(list, page.cursor)
  if (before.size >= kept) before.clear()
  before.set(`${list}\n${next}`, { cursor: page.cursor, rows: earlier === undefined ? undefined : page.rows + earlier })
}

/** The cursor of the page before; an empty text is the first page. Undefined when it is not known, as after a reload. */
export const pageBefore = (list: string, cursor: string): string | undefined => before.get(`${list}\n${cursor}`)?.cursor

/** How many rows the pages before have. Undefined when it is not known. */
export const rowsBefore = (list: string, cursor: string): number | undefined => (cursor === '' ? 0 : before.get(`${list}\n${cursor}`)?.rows)
