/** The parser of Node's HTTP server, of which its types omit what is needed to stop it. A test fails when a new version of Node changes it. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Called for each parsed head, before Node makes a request of it. Its result says how the parser continues. */
type OnHead = (request: IncomingMessage, keepsAlive: boolean) => number

interface ParsedSocket extends Socket {
  readonly parser?: { onIncoming: OnHead } | null
  /** The response that is being written. */
  readonly _httpMessage?: unknown
}

const hasNoBody = 1
const hasError = -1

/**
 * What becomes of a head: a request, the last request of its connection, the last one and without its body, whose end is not known, or
 * nothing: then the parser stops, and reports an error to `clientError`.
 */
export type HeadDecision = 'request' | 'last' | 'last-without-body' | 'stop'

export function decideHeads(socket: Socket, decide: (request: IncomingMessage, wantsKeepAlive: boolean) => HeadDecision): void {
  const { parser } = socket as ParsedSocket
  if (!parser) return
  const accept = parser.onIncoming
  parser.onIncoming = (request, wantsKeepAlive) => {
    const decision = decide(request, wantsKeepAlive)
    if (decision === 'stop') return hasError
    const result = accept(request, decision === 'request')
    return decision === 'last-without-body' ? hasNoBody : result
  }
}

/** Ends the parsing of what arrives. At most `bytesMax` are read and dropped; more are not read. */
export function dropInput(socket: Socket, bytesMax: number): void {
  let dropped = 0
  socket.removeAllListeners('data')
  // A listener of `data` takes the input from the parser.
  socket.on('data', (bytes) => {
    dropped += bytes.length
    if (dropped > bytesMax) socket.pause()
  })
  socket.resume()
}
