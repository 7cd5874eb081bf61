/** Which rows of a long list are in the document. */
export interface RowWindow {
  readonly start: number
  readonly end: number
  /** Pixels of the rows above and below. */
  readonly above: number
  readonly below: number
}

interface ScrollPlace {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly viewHeight: number
}

/** Lists up to this length are rendered whole. */
export const wholeListLimit = 120

/** Rows kept above and below what is in view, so that a scroll of one screen shows no gap. */
const spare = 10

/** The window moves in steps, so that most scroll events change nothing. */
const step = 8

export function toRowWindow({ count, rowHeight, scrollTop, viewHeight }: ScrollPlace): RowWindow {
  if (count <= wholeListLimit) return { start: 0, end: count, above: 0, below: 0 }
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const visible = Math.ceil(viewHeight / rowHeight)
  const last = Math.max(0, count - visible)
  const start = Math.max(0, Math.floor((Math.min(first, last) - spare) / step) * step)
  const end = Math.min(count, start + visible + 2 * spare + step)
  return { start, end, above: start * rowHeight, below: (count - end) * rowHeight }
}

export const isSame = (a: RowWindow, b: RowWindow): boolean => a.start === b.start && a.end === b.end && a.below === b.below

/** Both windows as one, so that no row leaves; the next one if there are other rows between them, and the shown one if nothing changes. */
export function growTo(shown: RowWindow, next: RowWindow): RowWindow {
  if (isSame(shown, next)) return shown
  if (next.start > shown.end || next.end < shown.start) return next
  const [upper, lower] = [shown.start < next.start ? shown : next, shown.end > next.end ? shown : next]
  return { start: upper.start, above: upper.above, end: lower.end, below: lower.below }
}
