/** @walk put 2: counts the connection, and replaces an old one without credentials when there are too many */
import type { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetwork } from './client-network.ts'
import { Client, ConnectionPool } from './client-pool.ts'
import { Connection, type ConnectionOwner, type RequestHandler, type Response, type Traffic } from './connection.ts'
import { connectionLimits as limits } from './connection-limits.ts'
import { Turns } from './turns.ts'

export interface ConnectionsOptions {
  readonly max: number
  readonly perClientMax: number
  /** Peers that carry the connections of many clients, such as trusted proxies. Default: none. */
  readonly isExempt?: (address: string | undefined) => boolean
  /** Time without a byte of an answer taken by the client, after which its connection is cut. */
  readonly stallMs: number
  /** The response to a request that Node's parser rejected. */
  readonly answerBroken: (error: NodeJS.ErrnoException) => string
  /** Called at most once a minute with the latest client that exceeded its share, and the number of connections cut since the previous call. */
  readonly onCut?: (cut: { readonly client: string; readonly connections: number }) => void
}

const tellPauseMs = 60_000

/** The TCP socket below a TLS socket, which Node's types omit. */
interface SocketOfTls extends Socket {
  readonly _parent?: Socket
}

/**
 * The connections of one server. I-41: no client without credentials occupies the places of others. A connection that ends is not counted,
 * a new one takes the place of the oldest without authenticated requests, and every wait for a client has a deadline.
 */
export class Connections {
  readonly #options: ConnectionsOptions
  readonly #pool: ConnectionPool
  readonly #clients = new Map<string, Client>()
  readonly #bySocket = new WeakMap<Socket, Connection>()
  readonly #open = new Set<Connection>()
  #owner: ConnectionOwner | undefined
  /** The first to end comes first. */
  readonly #ending = new Set<Connection>()
  /** Traffic of the closed connections. */
  #closed: Traffic = { receivedBytes: 0, sentBytes: 0 }
  #cut = 0
  #toldAtMs = Number.NEGATIVE_INFINITY

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#pool = new ConnectionPool(options.max)
  }

  /** Connections that do not end. */
  get count(): number {
    return this.#pool.count
  }

  /** Bytes of HTTP from and to clients since the start. Node counts them for each socket, so a request costs nothing. */
  get traffic(): Traffic {
    return [...this.#open].reduce((sum, { traffic }) => addTraffic(sum, traffic), this.#closed)
  }

  of(socket: Socket): Connection | undefined {
    return this.#bySocket.get(socket)
  }

  /** Call it before the server listens. Requests with `Expect` are handled like others. */
  serve(server: HttpServer, handle: RequestHandler): void {
    const owner: ConnectionOwner = {
      stallMs: this.#options.stallMs,
      keptBytes: 0,
      turns: new Turns(),
      isStopping: false,
      handle,
      onEnding: (connection) => this.#onEnding(connection),
      onTrusted: (connection) => {
        this.#pool.trust(connection)
        connection.client.pool.trust(connection)
      },
    }
    this.#owner = owner
    const receive = (request: Response['req'], response: Response): void => this.of(request.socket)?.receive(request, response)
    for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, receive)
    server.on('clientError', (error, socket) => this.#fail(error, socket as Socket))
    server.on('connection', (socket: Socket) => this.#accept(socket, owner))
    server.on('secureConnection', (socket: SocketOfTls) => {
      const connection = socket._parent && this.of(socket._parent)
      if (connection === undefined) return
      this.#bySocket.set(socket, connection)
      connection.read(socket)
    })
    const timer = setInterval(() => this.#look(), Math.min(limits.lookMs, this.#options.stallMs)).unref()
    server.once('close', () => clearInterval(timer))
  }

  /**
   * Call it when the server was closed, which no longer limits the time of heads: connections end now, those with requests after the answers.
   * A client without credentials could otherwise prolong the stop with a connection on which it sends nothing.
   */
  stop(): void {
    if (this.#owner) this.#owner.isStopping = true
    for (const connection of this.#open) connection.endIfIdle()
  }

  #accept(socket: Socket, owner: ConnectionOwner): void {
    const client = this.#clientOf(socket.remoteAddress)
    if (client.pool.isFull) this.#tell(client)
    if (!client.pool.makeRoom() || !this.#pool.makeRoom()) {
      socket.destroy()
      return
    }
    const connection = new Connection(socket, client, owner)
    this.#clients.set(client.network, client)
    this.#bySocket.set(socket, connection)
    this.#open.add(connection)
    this.#pool.enter(connection)
    client.pool.enter(connection)
    socket.once('close', () => {
      connection.end()
      if (this.#open.delete(connection)) this.#closed = addTraffic(this.#closed, connection.traffic)
      this.#ending.delete(connection)
    })
    connection.read(socket)
  }

  #clientOf(address = ''): Client {
    const { perClientMax, isExempt = () => false } = this.#options
    const network = clientNetwork(address)
    const known = this.#clients.get(network)
    if (known !== undefined) return known
    const connectionsMax = isExempt(address) ? Number.POSITIVE_INFINITY : perClientMax
    return new Client(network, { connectionsMax, onIdle: () => this.#clients.delete(network) })
  }

  #onEnding(connection: Connection): void {
    this.#pool.leave(connection)
    connection.client.leave(connection)
    this.#ending.add(connection)
    if (this.#ending.size <= limits.endingMax) return
    const [oldest] = this.#ending
    oldest?.cut()
  }

  #fail(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.of(socket)
    if (connection === undefined) socket.destroy()
    else connection.fail(error, () => this.#options.answerBroken(error))
  }

  #look(): void {
    const nowMs = performance.now()
    for (const connection of this.#open) connection.look(nowMs)
  }

  #tell({ network: client }: Client): void {
    this.#cut += 1
    if (performance.now() - this.#toldAtMs < tellPauseMs) return
    this.#options.onCut?.({ client, connections: this.#cut })
    this.#cut = 0
    this.#toldAtMs = performance.now()
  }
}

const addTraffic = (a: Traffic, b: Traffic): Traffic => ({
  receivedBytes: a.receivedBytes + b.receivedBytes,
  sentBytes: a.sentBytes + b.sentBytes,
})
