// A keep-alive connection of a load generator: it sends bytes prepared earlier and checks every answer at the least cost to itself.
import { connect, type Socket } from 'node:net'

const readBytes = 256 * 1024
const headBytesMax = 16 * 1024
const complaintBytesMax = 2048
const silenceMsMax = 30_000
const headEnd = '\r\n\r\n'
const none = Buffer.alloc(0)

/** A whole request as it goes over the wire. */
export type PreparedRequest = readonly Buffer[]

export interface ExpectedAnswer {
  /** Length of the body; any length when absent. */
  readonly bodyBytes?: number
  /** Gets the body piece by piece; a piece is only valid during the call. */
  readonly onBody?: (piece: Buffer) => void
}

interface Pending {
  readonly expected: ExpectedAnswer
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** One request at a time. An answer needs a Content-Length. */
export class RawConnection implements Disposable {
  readonly #socket: Socket
  #pending: Pending | undefined
  #head: Buffer = none
  #status = 0
  #complaint = ''
  #bodyBytes = 0
  /** Of the body; negative while the head is awaited. */
  #leftBytes = -1

  private constructor(port: number) {
    // One buffer for all reads: fresh ones would make the garbage collector part of what is measured.
    const onread = { buffer: Buffer.allocUnsafeSlow(readBytes), callback: (count: number, buffer: Uint8Array) => this.#take(count, buffer) }
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread })
    this.#socket.setTimeout(silenceMsMax, () => this.#socket.destroy(new Error(`the server was silent for ${silenceMsMax} ms`)))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  static async open(port: number): Promise<RawConnection> {
    const connection = new RawConnection(port)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    connection.#socket.once('connect', resolve).once('error', reject)
    await promise
    connection.#socket.off('error', reject)
    return connection
  }

  /** Resolves when the whole answer is here. Throws unless it has status 200 and the expected length. */
  exchange(request: PreparedRequest, expected: ExpectedAnswer = {}): Promise<void> {
    if (this.#pending) throw new Error('the connection awaits an answer already')
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

  /** The answer to the socket: true to go on reading. */
  #take(count: number, buffer: Uint8Array): boolean {
    const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, count)
    try {
      const body = this.#leftBytes < 0 ? this.#takeHead(bytes) : bytes
      if (this.#leftBytes >= 0) this.#takeBody(body)
    } catch (error) {
      // Thrown here it would reach nobody; as the end of the connection it reaches who awaits the answer.
      this.#socket.destroy(error as Error)
    }
    return true
  }

  /** Returns what follows the head. */
  #takeHead(bytes: Buffer): Buffer {
    // A copy is needed only of a head that comes in pieces, which is rare.
    const all = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes])
    const end = all.indexOf(headEnd)
    if (end < 0) {
      this.#head = Buffer.from(all)
      if (all.length > headBytesMax) throw new Error('the head of an answer does not end')
      return none
    }
    this.#head = none
    const text = all.toString('latin1', 0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    if (length === undefined) throw new Error(`an answer has no Content-Length:\n${text}`)
    this.#status = Number(text.slice(9, 12))
    this.#bodyBytes = Number(length)
    this.#leftBytes = this.#bodyBytes
    return all.subarray(end + headEnd.length)
  }

  #takeBody(bytes: Buffer): void {
    this.#leftBytes -= bytes.length
    if (this.#status === 200) this.#pending?.expected.onBody?.(bytes)
    else if (this.#complaint.length < complaintBytesMax) this.#complaint += bytes.toString()
    if (this.#leftBytes < 0) throw new Error('an answer is longer than it said')
    if (this.#leftBytes === 0) this.#finish()
  }

  #finish(): void {
    const { expected, resolve, reject } = this.#pending ?? { expected: {}, resolve() {}, reject() {} }
    const [status, bodyBytes, complaint] = [this.#status, this.#bodyBytes, this.#complaint]
    this.#pending = undefined
    this.#leftBytes = -1
    this.#complaint = ''
    if (status !== 200) reject(new Error(`status ${status}: ${complaint}`))
    else if (bodyBytes !== (expected.bodyBytes ?? bodyBytes)) reject(new Error(`${bodyBytes} bytes instead of ${expected.bodyBytes}`))
    else resolve()
  }

  #fail(error: Error): void {
    this.#pending?.reject(error)
    this.#pending = undefined
  }
}
