import type { IncomingMessage } from 'node:http'
import { hasOtherCoding } from '../http/connections/request-end.ts'

/** Security-relevant headers that must be unique: a proxy could use one of two lines and svc the other. */
const single: ReadonlySet<string> = new Set(['host', 'authorization', 'origin', 'referer', 'sec-fetch-site', 'x-svc-csrf'])

/** Why the request head is ambiguous, or undefined. */
export function explainAmbiguousHead(request: IncomingMessage): string | undefined {
  const { headers, rawHeaders, httpVersion } = request
  if (headers.host === undefined && httpVersion === '1.1') return 'The Host header is missing.'
  if (hasOtherCoding(request)) return 'The Transfer-Encoding must be chunked.'
  const seen = new Set<string>()
  // rawHeaders alternates names and values.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    if (seen.has(name)) return `Duplicate header: ${name}.`
    if (single.has(name)) seen.add(name)
  }
  return undefined
}
