import type { IncomingMessage } from 'node:http'

/** Headers that decide who asks whom. A proxy in front of us could believe one of two lines, and we the other. */
const single: ReadonlySet<string> = new Set(['host', 'authorization', 'origin', 'referer', 'sec-fetch-site', 'x-svc-csrf'])

/** Says why the head of a request cannot be relied on, or undefined. */
export function explainAmbiguousHead({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (headers.host === undefined && httpVersion === '1.1') return 'The Host header is missing.'
  const seen = new Set<string>()
  // Names and values stand in turn.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    if (seen.has(name)) return `The header ${name} stands there twice.`
    if (single.has(name)) seen.add(name)
  }
  return undefined
}
