import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Content, S3Answer } from '../operations/operation.ts'
import type { RequestNotes } from './access-log.ts'
import type { Admitted } from './admission.ts'
import { sendPiece } from './send-piece.ts'
import type { WireBody } from './wire-body.ts'

const drainKeepAliveBytesMax = 1024 * 1024
const lingerBytesMax = 16 * 1024 * 1024
const lingerMs = 2000
/** Bodies up to this size are sent together with the headers, in one write. */
export const singleWriteBytesMax = 64 * 1024
const documentPieceChars = 256 * 1024

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly wire: WireBody
  readonly requestId: string
  readonly hostId: string
  /** Time in which the client has to read a large document. */
  readonly documentMs: number
  readonly notes: Pick<RequestNotes, 'sentBytes'>
  /** Added to the headers of the answer, whatever it is. */
  crossOriginHeaders: Readonly<Record<string, string>>
  /** The place of the request. Undefined: it has none. */
  readonly admitted: Pick<Admitted, 'leave'> | undefined
}

interface WriteOptions {
  /** True when the position in the request body is unknown, or the server is stopping. */
  readonly closesConnection: boolean
}

/** Resolves when the response is sent; the connection is then reusable or closed. Throws when it fails, possibly after the headers were sent. */
export async function writeAnswer(exchange: Exchange, answer: S3Answer, options: WriteOptions): Promise<void> {
  const { request, response, wire } = exchange
  const { content } = answer
  let reading: Reading | undefined
  try {
    if (content !== undefined && request.method !== 'HEAD') reading = await startReading(content)
    const unread = wire.unreadBytes
    const closes = options.closesConnection || wire.awaitsContinue || unread > drainKeepAliveBytesMax
    writeHead(exchange, answer, closes)
    if (reading !== undefined) await writeContent(exchange, reading)
    else if (request.method === 'HEAD' || answer.body === undefined) {
      if (closes) response.flushHeaders()
    } else {
      await writeDocument(exchange, answer.body, closes)
      if (!closes) return
    }
    // Closing while the client still sends would reset the connection, and the client would lose the response.
    if (closes && unread > 0 && !wire.awaitsContinue) {
      exchange.admitted?.leave()
      await wire.drain(lingerBytesMax, lingerMs)
    }
    response.end()
  } finally {
    try {
      await reading?.pieces.return?.()
    } finally {
      await content?.opened[Symbol.asyncDispose]()
    }
  }
}

/** Node reads the rest of a body only when none of it was read, and the next request of a connection that stays open comes after it. */
function writeHead(exchange: Exchange, answer: S3Answer, closes: boolean): void {
  exchange.response.writeHead(answer.status, headersOf(exchange, answer, closes))
  if (!closes && exchange.wire.unreadBytes > 0) exchange.request.resume()
}

/** Sends head and bytes in one write, if the bytes are in memory or there are none. Returns whether it did. For a connection that stays open. */
export function endFromMemory(exchange: Exchange, answer: S3Answer): boolean {
  if (answer.content === undefined) return endWithoutBody(exchange, answer)
  const bytes = bytesInMemory(exchange, answer.content)
  if (!bytes) return false
  exchange.response.writeHead(answer.status, headersOf(exchange, answer, false))
  exchange.notes.sentBytes = bytes.length
  exchange.response.end(bytes)
  return true
}

function endWithoutBody(exchange: Exchange, answer: S3Answer): boolean {
  const { request, response, wire } = exchange
  if ((request.method !== 'HEAD' && answer.body !== undefined) || wire.awaitsContinue || wire.unreadBytes > 0) return false
  response.writeHead(answer.status, headersOf(exchange, answer, false))
  response.end()
  return true
}

function headersOf({ requestId, hostId, crossOriginHeaders }: Exchange, { status, headers, body }: S3Answer, closes: boolean) {
  // Not one literal with spreads for the optional ones, which take several times as long.
  const all: Record<string, string | number> = { ...headers, ...crossOriginHeaders }
  // Browsers must not sniff HTML in objects of other types.
  all['x-content-type-options'] = 'nosniff'
  all['x-amz-request-id'] = requestId
  all['x-amz-id-2'] = hostId
  all['server'] = 'svc'
  if (body !== undefined) all['content-length'] = Buffer.byteLength(body)
  else if (status === 200 && headers['content-length'] === undefined) all['content-length'] = 0
  if (closes) all['connection'] = 'close'
  return all
}

/** Ends the response, unless the caller does. A large document is written in pieces: its client has to read it. */
async function writeDocument({ response, documentMs, notes }: Exchange, body: string, callerEnds: boolean): Promise<void> {
  const bytes = Buffer.byteLength(body)
  if (bytes <= singleWriteBytesMax) {
    notes.sentBytes = bytes
    if (callerEnds) response.write(body)
    else response.end(body)
    return
  }
  const timer = setTimeout(() => response.destroy(), documentMs)
  try {
    for (const piece of encodePieces(body)) {
      notes.sentBytes += piece.length
      await sendPiece(response, piece)
    }
  } finally {
    clearTimeout(timer)
  }
  if (!callerEnds) response.end()
}

function* encodePieces(text: string): Generator<Buffer> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + documentPieceChars, text.length)
    // Both halves of a surrogate pair are encoded together.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1
    yield Buffer.from(text.slice(start, end))
  }
}

interface Reading {
  readonly pieces: AsyncIterator<Uint8Array>
  readonly first: IteratorResult<Uint8Array>
  readonly length: number
}

/** Reads the first bytes before the headers are sent, so that unreadable content gets an error document. */
async function startReading({ opened, range, length }: Content): Promise<Reading> {
  // The memory of a lent piece is used again when the next one is requested: by then it was sent, unless it is the only one.
  const pieces = opened.read(range, { lends: length > singleWriteBytesMax })[Symbol.asyncIterator]()
  return { pieces, first: await pieces.next(), length }
}

async function writeContent({ response, notes }: Exchange, { pieces, first, length }: Reading): Promise<void> {
  for (let next = first; !next.done; next = await pieces.next()) {
    const piece = next.value
    notes.sentBytes += piece.length
    if (piece.length === length && length <= singleWriteBytesMax) response.end(piece)
    else await sendPiece(response, piece)
  }
  if (notes.sentBytes !== length) throw new Error(`storage returned ${notes.sentBytes} bytes, expected ${length}`)
}

/**
 * The bytes of the response, if they are in memory and nothing is left to read of the request: then they are sent with the headers in one
 * write. Undefined otherwise.
 */
export function bytesInMemory({ request, wire }: Exchange, { opened, range, length }: Content): Uint8Array | undefined {
  const { bytes } = opened
  if (bytes === undefined || request.method === 'HEAD' || wire.awaitsContinue || wire.unreadBytes > 0) return undefined
  const wanted = range ? bytes.subarray(range.start, range.end + 1) : bytes
  if (wanted.length !== length) throw new Error(`storage returned ${wanted.length} bytes, expected ${length}`)
  return wanted
}
