import { STATUS_CODES } from 'node:http'
import { securityHeaders } from './security-headers.ts'

const refusals: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request headers did not arrive in time.'],
}

/** The answer to a malformed, oversized or too slow request, in the usual error format. Its connection closes. */
export function answerBrokenRequest({ code = '' }: NodeJS.ErrnoException): string {
  const [status, text] = refusals[code] ?? [400, 'The request is not valid HTTP.']
  const body = JSON.stringify({ error: text, code: 'invalid_request' })
  const headers: (readonly [string, string])[] = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
    ...securityHeaders({ isSecure: false, mayBeCached: false }),
  ]
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`
}
