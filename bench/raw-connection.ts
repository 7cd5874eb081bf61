// A keep-alive connection for load generation: sends prepared bytes and checks every answer with little CPU.
import { connect, type Socket } from 'node:net'

const readBytes = 256 * 1024
const headBytesMax = 16 * 1024
const errorBodyBytesMax = 2048
const idleMsMax = 30_000
const headEnd = '\r\n\r\n'
const none = Buffer.alloc(0)

/** A complete request in wire format. */
export type PreparedRequest = readonly Buffer[]

export interface ExpectedAnswer {
  /** Default: 200. */
  readonly status?: number
  /** Expected body length; any length when absent. */
  readonly bodyBytes?: number
  /** The answer to HEAD: it names the length of a body that does not follow. */
  readonly isHead?: boolean
  /** Receives the status line and the headers. */
  readonly onHead?: (head: string) => void
  /** Receives the body in pieces; a piece is only valid during the call. */
  readonly onBody?: (piece: Buffer) => void
}

interface Pending {
  readonly expected: ExpectedAnswer
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** One request at a time. Every answer needs a Content-Length. */
export class RawConnection implements Disposable {
  readonly #socket: Socket
  #pending: Pending | undefined
  #head: Buffer = none
  #status = 0
  #errorBody = ''
  #bodyBytes = 0
  /** Missing body bytes; negative while waiting for the head. */
  #leftBytes = -1

  private constructor(port: number) {
    // One buffer for all reads keeps garbage collection out of the measurement.
    const onread = { buffer: Buffer.allocUnsafeSlow(readBytes), callback: (count: number, buffer: Uint8Array) => this.#take(count, buffer) }
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread })
    this.#socket.setTimeout(idleMsMax, () => this.#socket.destroy(new Error(`the server sent nothing for ${idleMsMax} ms`)))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () =>
      this.#fail(new Error(`the server on port ${port} closed the connection; a measured server needs keep-alive`)),
    )
  }

  static async open(port: number): Promise<RawConnection> {
    const connection = new RawConnection(port)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    connection.#socket.once('connect', resolve).once('error', reject)
    await promise
    connection.#socket.off('error', reject)
    return connection
  }

  /** Resolves after the whole answer. Rejects unless it has the expected status and length. */
  exchange(request: PreparedRequest, expected: ExpectedAnswer = {}): Promise<void> {
    if (this.#pending) throw new Error('the connection already waits for an answer')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#pending = { expected, resolve, reject }
    if (request.length > 1) this.#socket.cork()
    for (const bytes of request) this.#socket.write(bytes)
    if (request.length > 1) this.#socket.uncork()
    return promise
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  /** Returns true, which tells the socket to continue reading. */
  #take(count: number, buffer: Uint8Array): boolean {
    const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, count)
    try {
      const body = this.#leftBytes < 0 ? this.#takeHead(bytes) : bytes
      if (this.#leftBytes >= 0) this.#takeBody(body)
    } catch (error) {
      // A throw in this callback would be uncaught; destroying the socket rejects the pending request.
      this.#socket.destroy(error as Error)
    }
    return true
  }

  #takeHead(bytes: Buffer): Buffer {
    // Copies only a head that arrives in pieces, which is rare.
    const all = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes])
    const end = all.indexOf(headEnd)
    if (end < 0) {
      this.#head = Buffer.from(all)
      if (all.length > headBytesMax) throw new Error(`the head of an answer exceeds ${headBytesMax} bytes`)
      return none
    }
    this.#head = none
    const text = all.toString('latin1', 0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    if (length === undefined) throw new Error(`an answer has no Content-Length:\n${text}`)
    this.#status = Number(text.slice(9, 12))
    this.#bodyBytes = Number(length)
    this.#leftBytes = this.#pending?.expected.isHead ? 0 : this.#bodyBytes
    this.#pending?.expected.onHead?.(text)
    return all.subarray(end + headEnd.length)
  }

  #takeBody(bytes: Buffer): void {
    this.#leftBytes -= bytes.length
    if (this.#status === (this.#pending?.expected.status ?? 200)) this.#pending?.expected.onBody?.(bytes)
    else if (this.#errorBody.length < errorBodyBytesMax) this.#errorBody += bytes.toString()
    if (this.#leftBytes < 0) throw new Error('an answer is longer than its Content-Length')
    if (this.#leftBytes === 0) this.#finish()
  }

  #finish(): void {
    const { expected, resolve, reject } = this.#pending ?? { expected: {}, resolve() {}, reject() {} }
    const [status, bodyBytes, errorBody] = [this.#status, this.#bodyBytes, this.#errorBody]
    this.#pending = undefined
    this.#leftBytes = -1
    this.#errorBody = ''
    if (status !== (expected.status ?? 200)) reject(new Error(`status ${status}: ${errorBody}`))
    else if (bodyBytes !== (expected.bodyBytes ?? bodyBytes)) reject(new Error(`${bodyBytes} bytes instead of ${expected.bodyBytes}`))
    else resolve()
  }

  #fail(error: Error): void {
    this.#pending?.reject(error)
    this.#pending = undefined
  }
}
