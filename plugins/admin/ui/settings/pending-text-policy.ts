interface Pending {
  readonly label: string
  readonly running?: unknown
  readonly next?: unknown
}

const shownMax = 3
const charsMax = 40

/** `Cache size: 9 → 11. Region: changed.`; more than three are counted. */
export function pendingText(pending: readonly Pending[]): string {
  const shown = pending.slice(0, shownMax).map(describe)
  const rest = pending.length - shown.length
  return [...shown, ...(rest > 0 ? [`${rest} more.`] : [])].join(' ')
}

function describe({ label, running, next }: Pending): string {
  if (running === undefined && next === undefined) return `${label}: changed.`
  return `${label}: ${valueText(running)} → ${valueText(next)}.`
}

function valueText(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  if (text === '') return 'empty'
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text
}
