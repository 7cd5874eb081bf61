/** @walk put 3: starts the requests of one connection in their order */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Client } from './client-pool.ts'
import { connectionLimits as limits } from './connection-limits.ts'
import { decideHeads, dropInput, type HeadDecision } from './http-parser.ts'
import { OutputWatch } from './output-watch.ts'
import { hasOtherCoding, hasUncertainEnd } from './request-end.ts'
import type { Turns } from './turns.ts'

export type Response = ServerResponse & { req: IncomingMessage }

export type RequestHandler = (request: IncomingMessage, response: Response, connection: Connection) => void

/** The listener, as its connections see it. */
export interface ConnectionOwner {
  readonly stallMs: number
  /** Memory of the waiting requests of all connections. */
  keptBytes: number
  readonly turns: Turns
  /** Connections end after the answers to the requests that have arrived. */
  isStopping: boolean
  handle: RequestHandler
  /** The connection no longer counts as one of its client. */
  onEnding(connection: Connection): void
  onTrusted(connection: Connection): void
}

export interface Traffic {
  readonly receivedBytes: number
  readonly sentBytes: number
}

interface Kept {
  readonly response: Response
  readonly bytes: number
}

/** Objects of Node for one request. */
const requestBytes = 4096
/** What Node buffers of a body that is not read. */
const bodyBytesMax = 64 * 1024

/**
 * A connection passes on its requests one after another, in their order: a request starts when the response before it is complete. I-40:
 * what it keeps is bounded, and nothing that follows its last request is parsed.
 */
export class Connection {
  readonly client: Client
  readonly #owner: ConnectionOwner
  #socket: Socket
  readonly #kept: Kept[] = []
  readonly #output = new OutputWatch()
  #keptBytes = 0
  #running: Response | undefined
  /** Answered, but its body has not arrived completely. */
  #unfinished: { readonly request: IncomingMessage; readonly sinceMs: number } | undefined
  #isPaused = false
  /** True from the head of the last request on. */
  #isClosing = false
  #endingAtMs: number | undefined
  #isTrusted = false

  constructor(socket: Socket, client: Client, owner: ConnectionOwner) {
    this.#socket = socket
    this.client = client
    this.#owner = owner
  }

  get isBusy(): boolean {
    return this.#running !== undefined
  }

  /** Bytes of HTTP from and to the client so far. */
  get traffic(): Traffic {
    return { receivedBytes: this.#socket.bytesRead, sentBytes: this.#socket.bytesWritten }
  }

  get isEnding(): boolean {
    return this.#endingAtMs !== undefined
  }

  /** A request on it was authenticated: it is not cut in favour of new connections. */
  trust(): void {
    if (this.#isTrusted) return
    this.#isTrusted = true
    this.#owner.onTrusted(this)
  }

  /** Requests arrive on this socket: that of the connection, or the one of TLS on it. */
  read(socket: Socket): void {
    this.#socket = socket
    decideHeads(socket, (request, wantsKeepAlive) => this.#decide(request, wantsKeepAlive))
  }

  #decide(request: IncomingMessage, wantsKeepAlive: boolean): HeadDecision {
    if (this.#isClosing) return 'stop'
    if (this.isBusy && !this.#hasRoomFor(request)) {
      this.#closeAfterLast()
      return 'stop'
    }
    if (wantsKeepAlive && !hasUncertainEnd(request)) return 'request'
    this.#isClosing = true
    return hasOtherCoding(request) ? 'last-without-body' : 'last'
  }

  #hasRoomFor(request: IncomingMessage): boolean {
    const bytes = memoryOf(request)
    return (
      this.#kept.length < limits.keptRequestsMax &&
      this.#keptBytes + bytes <= limits.keptBytesMax &&
      this.#owner.keptBytes + bytes <= limits.keptBytesOfAllMax
    )
  }

  /** The client sends what follows again on another connection. */
  #closeAfterLast(): void {
    this.#isClosing = true
    const last = this.#kept.at(-1)?.response ?? this.#running
    if (last !== undefined) last.shouldKeepAlive = false
  }

  receive(request: IncomingMessage, response: Response): void {
    if (!this.isBusy) {
      this.#start(response)
      return
    }
    const bytes = memoryOf(request)
    this.#kept.push({ response, bytes })
    this.#keptBytes += bytes
    this.#owner.keptBytes += bytes
    if (this.#kept.length < limits.keptRequestsPauseAt || this.#isPaused) return
    this.#isPaused = true
    // Node resumes the socket when this request is parsed, so pause it after that.
    process.nextTick(() => {
      if (this.#isPaused) this.#socket.pause()
    })
  }

  #start(response: Response): void {
    this.#running = response
    response.once('close', () => this.#startNext(response))
    if (this.#isTrusted) this.#owner.handle(response.req, response, this)
    else this.#owner.turns.take(() => this.#handleLate(response))
  }

  #handleLate(response: Response): void {
    if (this.#running === response && !this.isEnding) this.#owner.handle(response.req, response, this)
  }

  #startNext(finished: Response): void {
    this.#running = undefined
    if (!finished.req.complete) this.#unfinished = { request: finished.req, sinceMs: performance.now() }
    const isLast = !finished.shouldKeepAlive || (this.#owner.isStopping && this.#kept.length === 0)
    if (this.#socket.destroyed || this.#socket.writableEnded || isLast) {
      this.end()
      return
    }
    const next = this.#kept.shift()
    if (next !== undefined) {
      this.#release(next)
      this.#start(next.response)
    }
    if (this.#isPaused && this.#kept.length < limits.keptRequestsPauseAt) {
      this.#isPaused = false
      this.#socket.resume()
    }
  }

  #release({ bytes }: Kept): void {
    this.#keptBytes -= bytes
    this.#owner.keptBytes -= bytes
  }

  /** The parser reported an error, also when it was stopped. Answers with what `answer` returns, unless a whole request is being answered. */
  fail(error: NodeJS.ErrnoException, answer: () => string): void {
    const socket = this.#socket
    const running = this.#running
    const isInBody = running?.req.complete === false
    if (!socket.writable || error.code === 'ECONNRESET' || (isInBody && running?.headersSent)) {
      socket.destroy()
    } else if (running === undefined || isInBody) {
      socket.write(answer())
      this.end()
    } else {
      dropInput(socket, limits.droppedBytesMax)
      if (!this.#isClosing) this.#closeAfterLast()
    }
  }

  /** Closes the server's side. The client has a short time to read the answer and to close its own. */
  end(): void {
    if (this.isEnding) return
    this.#isClosing = true
    this.#endingAtMs = performance.now()
    for (const kept of this.#kept.splice(0)) this.#release(kept)
    this.#owner.onEnding(this)
    if (this.#socket.destroyed) return
    this.#socket.end()
    dropInput(this.#socket, limits.droppedBytesMax)
  }

  /** For a stop. A part of a head is not a request: its client sends it again elsewhere. */
  endIfIdle(): void {
    if (this.isBusy) return
    // The client may still be reading the answer.
    if (this.#unfinished || this.isEnding) this.end()
    else this.cut()
  }

  cut(): void {
    this.end()
    this.#socket.destroy()
  }

  /** Cuts the connection when a limit of time is exceeded. */
  look(nowMs: number): void {
    if (this.#isLate(nowMs)) this.cut()
  }

  #isLate(nowMs: number): boolean {
    if (this.#endingAtMs !== undefined) return nowMs - this.#endingAtMs >= limits.endingMs
    if (this.#unfinished?.request.complete) this.#unfinished = undefined
    if (this.#unfinished !== undefined && nowMs - this.#unfinished.sinceMs >= limits.restOfBodyMs) return true
    return this.#output.stalledMs(this.#socket, nowMs) >= this.#owner.stallMs
  }
}

function memoryOf({ rawHeaders, url = '', headers }: IncomingMessage): number {
  const length = Number(headers['content-length'] ?? 0)
  const body = headers['transfer-encoding'] === undefined ? Math.min(length, bodyBytesMax) : bodyBytesMax
  return rawHeaders.reduce((sum, text) => sum + text.length, requestBytes + url.length + body)
}
