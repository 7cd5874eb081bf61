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
