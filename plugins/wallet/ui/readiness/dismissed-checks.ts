/** Checks that the operator hid in this browser. */
const key = 'svc.dismissed-checks'

export function dismissedChecks(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
  } catch {
    // Storage is off, or holds something else: nothing is hidden.
    return []
  }
}

/** Returns all of them. */
export function dismissCheck(id: string): readonly string[] {
  const all = [...new Set([...dismissedChecks(), id])]
  try {
    localStorage.setItem(key, JSON.stringify(all))
  } catch {
    // Hidden until the page is loaded again.
  }
  return all
}
