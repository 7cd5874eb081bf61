/** The value at a dotted path such as `chain.network`; undefined when a table on the path is missing. */
export function valueAt(tree: unknown, path: string): unknown {
  let at = tree
  for (const word of path.split('.')) {
    if (at === null || typeof at !== 'object' || Array.isArray(at)) return undefined
    at = (at as Record<string, unknown>)[word]
  }
  return at
}

/** Sets the value at a dotted path and makes missing tables; undefined removes it. */
export function assignAt(tree: Record<string, unknown>, path: string, value: unknown): void {
  const words = path.split('.')
  const last = words.pop() as string
  let at = tree
  for (const word of words) {
    at[word] ??= {}
    at = at[word] as Record<string, unknown>
  }
  if (value === undefined) delete at[last]
  else at[last] = value
}
