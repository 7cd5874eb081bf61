// Puts an answer on the wire and leaves the connection in a state the next request can trust.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Content, S3Answer } from '../operations/operation.ts'
import type { RequestNotes } from './access-log.ts'
import type { WireBody } from './wire-body.ts'

const drainKeepAliveBytesMax = 1024 * 1024
const lingerBytesMax = 16 * 1024 * 1024
const lingerMs = 2000
/** Bodies up to this size leave together with the headers, in one write. */
const singleWriteBytesMax = 64 * 1024

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly wire: WireBody
  readonly requestId: string
  readonly hostId: string
  /** A reader that takes nothing for this long is cut off. */
  readonly idleMs: number
  readonly notes: Pick<RequestNotes, 'sentBytes'>
}

export interface WriteOptions {
  /** The position in the request body is lost, or the server is stopping. */
  readonly closesConnection: boolean
}

/** Resolves when the answer has left. Throws when it could not be completed, after the headers may have gone. */
export async function writeAnswer(exchange: Exchange, answer: S3Answer, options: WriteOptions): Promise<void> {
  const { request, response, wire } = exchange
  const { content } = answer
  try {
    const hasBytes = content !== undefined && request.method !== 'HEAD'
    const reading = hasBytes ? await startReading(content) : undefined
    const unread = wire.unreadBytes
    const closes = options.closesConnection || wire.awaitsContinue || unread > drainKeepAliveBytesMax
    response.writeHead(answer.status, headersOf(exchange, answer, closes))
    if (reading !== undefined) await writeContent(exchange, reading)
    else if (request.method === 'HEAD' || answer.body === undefined) {
      if (closes) response.flushHeaders()
    } else {
      exchange.notes.sentBytes = Buffer.byteLength(answer.body)
      if (!closes) {
        response.end(answer.body)
        return
      }
      response.write(answer.body)
    }
    // A client still sending sees its answer only if its bytes are taken in; ending at once would reset the connection.
    if (closes && unread > 0 && !wire.awaitsContinue) await wire.drain(lingerBytesMax, lingerMs)
    response.end()
  } finally {
    await content?.opened[Symbol.asyncDispose]()
  }
}

function headersOf({ requestId, hostId }: Exchange, { status, headers, body }: S3Answer, closes: boolean) {
  return {
    ...headers,
    // Objects are what their writers say: a browser must not take text for a page.
    'x-content-type-options': 'nosniff',
    'x-amz-request-id': requestId,
    'x-amz-id-2': hostId,
    server: 'svc',
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    ...(body === undefined && status === 200 && headers['content-length'] === undefined && { 'content-length': 0 }),
    ...(closes && { connection: 'close' }),
  }
}

interface Reading {
  readonly pieces: AsyncIterator<Uint8Array>
  readonly first: IteratorResult<Uint8Array>
  readonly length: number
}

/** The first bytes come before the headers leave: bytes that cannot be had are refused with an error document. */
async function startReading({ opened, range, length }: Content): Promise<Reading> {
  const pieces = opened.read(range)[Symbol.asyncIterator]()
  return { pieces, first: await pieces.next(), length }
}

async function writeContent({ response, idleMs, notes }: Exchange, { pieces, first, length }: Reading): Promise<void> {
  try {
    for (let next = first; !next.done; next = await pieces.next()) {
      const piece = next.value
      notes.sentBytes += piece.length
      if (piece.length === length && length <= singleWriteBytesMax) response.end(piece)
      else if (!response.write(piece)) await drained(response, idleMs)
    }
  } finally {
    await pieces.return?.()
  }
  if (notes.sentBytes !== length) throw new Error(`storage gave ${notes.sentBytes} bytes of an object part of ${length}`)
}

/** Resolves when the socket took what was written. Throws when the reader is gone or takes nothing for too long. */
async function drained(response: ServerResponse, idleMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onClose = () => reject(new Error('the reader closed the connection'))
  const timer = setTimeout(() => reject(new Error(`the reader took nothing for ${idleMs} ms`)), idleMs)
  response.once('drain', resolve).once('close', onClose)
  try {
    if (response.destroyed) onClose()
    await promise
  } finally {
    clearTimeout(timer)
    response.off('drain', resolve).off('close', onClose)
  }
}
