import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { securityHeaders } from './security-headers.ts'

const refusals: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request headers did not arrive in time.'],
}

/** Answers malformed, oversized and too slow requests with the usual error format, and closes the connection. */
export function answerBrokenRequest(error: Error, socket: Socket): void {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, text] = refusals[code] ?? [400, 'The request is not valid HTTP.']
  const body = JSON.stringify({ error: text, code: 'invalid_request' })
  const headers: (readonly [string, string])[] = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
    ...securityHeaders({ isSecure: false, mayBeCached: false }),
  ]
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`, () => socket.destroy())
}
