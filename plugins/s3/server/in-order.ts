import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Waiting requests of a connection above which it is not read. */
export const waitingPausesAt = 8
/** One read may contain more requests than that. The connection closes after this many; the client sends the others again. */
export const waitingMax = 32

type Handler = (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => void

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse & { req: IncomingMessage }
}

interface Connection {
  isBusy: boolean
  isPaused: boolean
  /** True when the running or last waiting response closes the connection: requests that arrive now are dropped. */
  isClosing: boolean
  readonly waiting: Waiting[]
}

/**
 * Passes on the requests of each connection one after another, in their order: a request starts when the response before it is complete.
 * Node itself orders only the responses.
 */
export function inOrder(handler: Handler): Handler {
  const connections = new WeakMap<Socket, Connection>()

  const start = (connection: Connection, { request, response }: Waiting): void => {
    connection.isBusy = true
    response.once('close', () => startNext(connection, request.socket, response))
    handler(request, response)
  }

  const startNext = (connection: Connection, socket: Socket, finished: ServerResponse): void => {
    connection.isBusy = false
    // A client that was told `Connection: close` sends the requests after it again on another connection.
    if (socket.destroyed || socket.writableEnded || !finished.shouldKeepAlive) {
      connection.isClosing = true
      connection.waiting.length = 0
      return
    }
    const next = connection.waiting.shift()
    if (next !== undefined) start(connection, next)
    if (connection.isPaused && connection.waiting.length < waitingPausesAt) {
      connection.isPaused = false
      socket.resume()
    }
  }

  return (request, response) => {
    const { socket } = request
    const connection = connections.get(socket) ?? open(connections, socket)
    if (connection.isClosing) return
    if (connection.isBusy) enqueue(connection, { request, response })
    else start(connection, { request, response })
  }
}

function open(connections: WeakMap<Socket, Connection>, socket: Socket): Connection {
  const connection: Connection = { isBusy: false, isPaused: false, isClosing: false, waiting: [] }
  connections.set(socket, connection)
  return connection
}

function enqueue(connection: Connection, next: Waiting): void {
  const { waiting } = connection
  if (waiting.length === waitingMax) {
    connection.isClosing = true
    const last = waiting.at(-1)
    if (last !== undefined) last.response.shouldKeepAlive = false
    return
  }
  waiting.push(next)
  if (waiting.length < waitingPausesAt || connection.isPaused) return
  connection.isPaused = true
  // Node resumes the socket when this request is parsed, so pause it after that.
  process.nextTick(() => {
    if (connection.isPaused) next.request.socket.pause()
  })
}
