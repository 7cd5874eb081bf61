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

/** Continue with the body. */
const hasNoBody = 1
const stops = -1

export interface HeadDecision {
  /** False: the connection closes after this request. */
  readonly keepsAlive: boolean
  /** The body is not read: its end is not known. */
  readonly skipsBody: boolean
}

/** Asks for each head whether it becomes a request; undefined stops the parser, which then reports an error to `clientError`. */
export function decideHeads(socket: Socket, decide: (request: IncomingMessage, keepsAlive: boolean) => HeadDecision | undefined): void {
  const { parser } = socket as ParsedSocket
  if (!parser) return
  const accept = parser.onIncoming
  parser.onIncoming = (request, wantsKeepAlive) => {
    const decision = decide(request, wantsKeepAlive)
    if (decision === undefined) return stops
    const result = accept(request, decision.keepsAlive)
    return decision.skipsBody ? hasNoBody : result
  }
}

/** From now on nothing that arrives is parsed. At most `bytesMax` are read and dropped; more are not read. */
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
