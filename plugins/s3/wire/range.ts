type ResolvedRange =
  /** No range, or a range that S3 ignores: the whole object with status 200. */
  | { readonly kind: 'whole' }
  /** Both ends inclusive; status 206. */
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  /** The range starts after the end of the object; status 416. */
  | { readonly kind: 'unsatisfiable' }

/** `size` in bytes. Multiple ranges, other units and malformed headers are ignored, as in S3. */
export function resolveRange(header: string | undefined, size: number): ResolvedRange {
  const match = header === undefined ? null : /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (match === null) return { kind: 'whole' }
  const [, from = '', to = ''] = match
  if (from === '') return to === '' ? { kind: 'whole' } : suffixRange(Number(to), size)
  const first = Number(from)
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to)
  if (last < first) return { kind: 'whole' }
  if (first >= size) return { kind: 'unsatisfiable' }
  return { kind: 'part', first, last: Math.min(last, size - 1) }
}

function suffixRange(length: number, size: number): ResolvedRange {
  if (length === 0 || size === 0) return { kind: 'unsatisfiable' }
  return { kind: 'part', first: Math.max(0, size - length), last: size - 1 }
}
