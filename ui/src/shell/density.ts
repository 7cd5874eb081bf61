const key = 'svc.density'

/** Compact rows, or roomy ones; kept by the browser. public/theme.js applies the choice before the first paint. */
export function toggleDensity(): void {
  const { dataset } = document.documentElement
  const isCompact = dataset.density !== 'compact'
  if (isCompact) dataset.density = 'compact'
  else delete dataset.density
  try {
    localStorage.setItem(key, isCompact ? 'compact' : 'roomy')
  } catch {
    // Storage is blocked: the choice lasts as long as the tab.
  }
}
