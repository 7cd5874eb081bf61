import type { NavEntry, NavGroup } from '../plugin-ui.ts'

const order: readonly (NavGroup | undefined)[] = [undefined, 'Storage', 'Operations', 'Service']

/** The entries under their headings; those without a group come first. */
export function groupMenu(
  entries: readonly NavEntry[],
): readonly { readonly group: NavGroup | undefined; readonly entries: readonly NavEntry[] }[] {
  const byGroup = Map.groupBy(entries, ({ group }) => group)
  return order.flatMap((group) => {
    const found = byGroup.get(group)
    return found ? [{ group, entries: [...found].sort((a, b) => a.order - b.order) }] : []
  })
}

/** A page below an entry, such as one bucket, belongs to it. */
export const isCurrent = (to: string, path: string): boolean => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`))
