import type { IncomingMessage, ServerResponse } from 'node:http'
import { freePiece } from '#plugins/storage'
import { S3Error } from '../wire/s3-error.ts'

interface WireBodyOptions {
  /** How far the body may be behind its minimum rate, and so the longest time without a byte. */
  readonly idleMs: number
  readonly bytesPerSecondMin: number
  readonly awaitsContinue: boolean
}

/**
 * The raw bytes of a request body, with a minimum rate: waiting for the client uses up time, and each byte gives some back. Sends 100
 * Continue when reading starts.
 */
export class WireBody implements AsyncIterable<Buffer> {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #idleMs: number
  readonly #msPerByte: number
  /** Time that is left to wait for the client. */
  #leftMs: number
  /** Time on the clock of `performance.now`. */
  #deadlineMs = Number.POSITIVE_INFINITY
  #awaitsContinue: boolean
  #receivedBytes = 0
  #isLent = false

  constructor(request: IncomingMessage, response: ServerResponse, options: WireBodyOptions) {
    this.#request = request
    this.#response = response
    this.#idleMs = options.idleMs
    this.#leftMs = options.idleMs
    this.#msPerByte = 1000 / options.bytesPerSecondMin
    this.#awaitsContinue = options.awaitsContinue
  }

  /** True while the client waits for 100 Continue before it sends the body. */
  get awaitsContinue(): boolean {
    return this.#awaitsContinue
  }

  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** Infinity when the length is unknown. */
  get unreadBytes(): number {
    const { headers, complete } = this.#request
    if (complete) return 0
    if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY
    return Number(headers['content-length'] ?? 0) - this.#receivedBytes
  }

  /** Makes each piece valid only until the next one is requested: its memory is freed then, instead of by the garbage collector. */
  lend(): void {
    this.#isLent = true
  }

  /** The whole body, when it has arrived already and is not empty: then nothing is left to read. */
  arrived(): Buffer | undefined {
    const request = this.#request
    const { readableLength, headers } = request
    if (readableLength === 0 || request.destroyed || headers['transfer-encoding'] !== undefined) return undefined
    if (readableLength !== Number(headers['content-length'])) return undefined
    const bytes = request.read() as Buffer
    this.#receivedBytes = bytes.length
    // A client that asked for 100 Continue did not wait for it.
    this.#awaitsContinue = false
    // Reads the end of the stream, which the parser adds after the last byte.
    request.resume()
    return bytes
  }

  /** Lets the body be read until this time has passed; then reading throws RequestTimeout. Undefined removes the limit. */
  requireWithin(ms: number | undefined): void {
    this.#deadlineMs = ms === undefined ? Number.POSITIVE_INFINITY : performance.now() + ms
  }

  /** Throws RequestTimeout below the minimum rate or after the deadline, IncompleteBody when the client disconnects. May be called once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    requireConnected(this.#request)
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false
      this.#response.writeContinue()
    }
    const arrivals = watchArrivals(this.#request)
    try {
      while (true) {
        const bytes = this.#request.read() as Buffer | null
        if (bytes !== null) {
          this.#receivedBytes += bytes.length
          this.#leftMs = Math.min(this.#idleMs, this.#leftMs + bytes.length * this.#msPerByte)
          yield bytes
          if (this.#isLent) freePiece(bytes)
        } else if (this.#request.readableEnded) {
          return
        } else {
          await this.#waitFor(arrivals)
        }
      }
    } finally {
      arrivals.stop()
    }
  }

  /** Only this time counts: the client waits too while storage makes room. */
  async #waitFor(arrivals: ReturnType<typeof watchArrivals>): Promise<void> {
    const startedMs = performance.now()
    const withinMs = Math.min(this.#leftMs, this.#deadlineMs - startedMs)
    // The limit applies also when bytes arrive all the time.
    if (withinMs <= 0) throw tooSlow()
    await arrivals.next(withinMs)
    this.#leftMs -= performance.now() - startedMs
  }

  /** Reads and drops at most `bytesMax` bytes for at most `timeMs`, so that a client that is still sending reads the response. */
  async drain(bytesMax: number, timeMs: number): Promise<void> {
    if (this.#request.destroyed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, timeMs)
    let dropped = 0
    const drop = (bytes: Buffer) => {
      dropped += bytes.length
      if (dropped > bytesMax) resolve()
    }
    this.#request.on('data', drop).once('end', resolve).once('close', resolve).once('error', resolve).resume()
    await promise
    clearTimeout(timer)
    this.#request.off('data', drop).pause()
  }
}

/** A request that is destroyed already emits no more events. Throws IncompleteBody. */
function requireConnected(request: IncomingMessage): void {
  if (request.destroyed && !request.readableEnded) throw incompleteBody(request.errored)
}

const tooSlow = (): S3Error => new S3Error('RequestTimeout', { closesConnection: true })

function incompleteBody(cause: unknown): S3Error {
  return new S3Error('IncompleteBody', {
    message: 'The connection was closed before the whole body arrived.',
    cause,
    closesConnection: true,
  })
}

/** Waits for events after which a read may return bytes. */
function watchArrivals(request: IncomingMessage) {
  let arrived = false
  let failure: Error | undefined
  let wake: (() => void) | undefined
  const onArrival = () => {
    arrived = true
    wake?.()
  }
  const onFailure = (cause?: unknown) => {
    if (!request.readableEnded) failure = incompleteBody(cause)
    onArrival()
  }
  request.on('readable', onArrival).on('end', onArrival).on('error', onFailure).on('close', onFailure)
  return {
    async next(withinMs: number): Promise<void> {
      requireConnected(request)
      if (!arrived && failure === undefined) {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        const timer = setTimeout(() => reject(tooSlow()), withinMs)
        wake = resolve
        try {
          await promise
        } finally {
          clearTimeout(timer)
          wake = undefined
        }
      }
      arrived = false
      if (failure !== undefined) throw failure
    },
    stop() {
      request.off('readable', onArrival).off('end', onArrival).off('error', onFailure).off('close', onFailure)
    },
  }
}
