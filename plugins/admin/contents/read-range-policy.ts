/** One range of bytes, as players of audio and video ask for it. */

interface ReadRange {
  readonly start: number
  readonly end: number
}

const form = /^bytes=(\d{0,15})-(\d{0,15})$/

/** Returns undefined for the whole content, also for a header of another form (RFC 9110, 14.2). `unsatisfiable`: it begins behind the content. */
export function readRange(header: string | undefined, size: number): ReadRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = form.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return start > end ? 'unsatisfiable' : { start, end }
}
