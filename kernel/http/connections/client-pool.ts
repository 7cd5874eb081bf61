/** Counts connections of one client, or of all, and makes room for new ones. */

interface Pooled {
  /** True while a request is being answered. */
  readonly isBusy: boolean
  /** Ends the connection; it leaves its pools at once. */
  cut(): void
}

/** Holds at most `max` connections. A new one takes the place of the oldest one that has sent no authenticated request. */
export class ConnectionPool {
  readonly #max: number
  /** Oldest first. */
  readonly #unauthenticated = new Set<Pooled>()
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  get count(): number {
    return this.#count
  }

  get isFull(): boolean {
    return this.#count >= this.#max
  }

  /** Cuts a connection when there is no room for one more. False: none may be cut. */
  makeRoom(): boolean {
    if (this.isFull) this.#oldest()?.cut()
    return !this.isFull
  }

  enter(connection: Pooled): void {
    this.#count += 1
    this.#unauthenticated.add(connection)
  }

  leave(connection: Pooled): void {
    this.#count -= 1
    this.#unauthenticated.delete(connection)
  }

  trust(connection: Pooled): void {
    this.#unauthenticated.delete(connection)
  }

  /** Prefers connections without a running request. */
  #oldest(): Pooled | undefined {
    let oldest: Pooled | undefined
    for (const connection of this.#unauthenticated) {
      if (!connection.isBusy) return connection
      oldest ??= connection
    }
    return oldest
  }
}

interface ClientOptions {
  readonly connectionsMax: number
  /** Called when the client has neither connections nor requests any more. */
  readonly onIdle: () => void
}

/** What one client uses of a listener. */
export class Client {
  readonly network: string
  readonly pool: ConnectionPool
  readonly #onIdle: () => void
  #requests = 0
  /** Running requests that are not authenticated. */
  unauthenticatedRequests = 0

  constructor(network: string, { connectionsMax, onIdle }: ClientOptions) {
    this.network = network
    this.pool = new ConnectionPool(connectionsMax)
    this.#onIdle = onIdle
  }

  /** Running requests, also those whose connection has ended. */
  get requests(): number {
    return this.#requests
  }

  beginRequest(): void {
    this.#requests += 1
  }

  endRequest(): void {
    this.#requests -= 1
    this.#forgetIfIdle()
  }

  leave(connection: Pooled): void {
    this.pool.leave(connection)
    this.#forgetIfIdle()
  }

  #forgetIfIdle(): void {
    if (this.pool.count === 0 && this.#requests === 0) this.#onIdle()
  }
}
