/** @walk put 4: gives the request a place and writes its answer */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock, Log } from '#kernel'
import { type Client, hasOtherCoding } from '#kernel/server'
import { errorDocument } from '../documents/error.ts'
import { crossOriginHeaders } from '../operations/configuration/cross-origin.ts'
import type { S3Answer } from '../operations/operation.ts'
import { readHeaders } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import { parseTarget, type S3Target } from '../wire/target.ts'
import type { AccessLog, RequestNotes } from './access-log.ts'
import { type Admitted, tooManyRequests } from './admission.ts'
import { answerRequest } from './answer-request.ts'
import { type DocumentMemory, HeldMemory } from './document-memory.ts'
import { endOfTurn } from './end-of-turn.ts'
import type { AnswerDeps } from './incoming-request.ts'
import type { OpenConnections } from './open-connections.ts'
import { hostId, newRequestId } from './request-ids.ts'
import type { RequestLimits } from './request-limits.ts'
import type { OperationCounts } from './request-metrics.ts'
import { describePlace } from './router.ts'
import { toS3Error } from './storage-refusals.ts'
import { WireBody } from './wire-body.ts'
import { type Exchange, endFromMemory, singleWriteBytesMax, writeAnswer } from './write-answer.ts'

export interface ExchangeDeps extends AnswerDeps {
  readonly clock: Clock
  readonly log: Log
  readonly operationCounts: OperationCounts
  readonly accessLog: AccessLog
  readonly documentMemory: DocumentMemory
  readonly openConnections: Pick<OpenConnections, 'count' | 'follow'>
  readonly limits: RequestLimits
  /** True when the server no longer accepts requests. */
  readonly isStopping: () => boolean
}

interface Received {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly client: Client
  /** Is undefined when the request is refused, because too many are running. */
  readonly admitted: Admitted | undefined
}

/** Handles one request from its raw form to its written response; every error becomes S3 XML. Never rejects. */
export async function handleRequest({ request, response, client, admitted }: Received, context: ExchangeDeps): Promise<void> {
  const startedMs = performance.now()
  // Read now: a closed socket no longer has it.
  const clientAddress = request.socket.remoteAddress
  const wire = openWire(request, response, context)
  const notes: RequestNotes = { sentBytes: 0 }
  const { documentMs } = context.limits
  const exchange: Exchange = {
    request,
    response,
    wire,
    requestId: newRequestId(),
    hostId,
    documentMs,
    notes,
    crossOriginHeaders: {},
    admitted,
  }
  const held = new HeldMemory(context.documentMemory)
  let target: S3Target | undefined
  try {
    const admission = requireAdmitted(admitted, request)
    if (isReadAmongOthers(request, context)) await endOfTurn()
    const headers = readHeaders(request.rawHeaders)
    if (!headers.has('host') && request.httpVersion === '1.1') throw new S3Error('BadRequest', { message: 'The Host header is missing.' })
    target = parseTarget(request.url ?? '', { host: headers.get('host'), virtualHostDomains: context.settings.virtual_host_domains })
    if (target.place.kind !== 'service' && headers.has('origin')) {
      const crossOrigin = { method: request.method ?? '', headers, bucketName: target.place.bucket }
      exchange.crossOriginHeaders = await crossOriginHeaders(crossOrigin, context)
    }
    const origin = `${'encrypted' in request.socket ? 'https' : 'http'}://${headers.get('host') ?? ''}`
    const clientSignal = () => signalOf(response)
    const holdMemory = (bytes: number) => held.take(bytes, notes.accessKey ?? client.network)
    const incoming = {
      method: request.method ?? '',
      target,
      headers,
      origin,
      wire,
      clientSignal,
      holdMemory,
      admitted: admission,
      limits: context.limits,
      now: context.clock.now(),
      notes,
    }
    const answer = await answerRequest(incoming, context)
    if (held.isEmpty) holdAnswer(answer, holdMemory)
    await write(exchange, answer, context)
    context.operationCounts.add(notes.operation, 'success', performance.now() - startedMs)
  } catch (error) {
    context.operationCounts.add(notes.operation, 'failure', performance.now() - startedMs)
    notes.errorCode = await writeError(exchange, error, { target, context })
  } finally {
    held.giveBackAfter(response)
  }
  context.accessLog({
    method: request.method,
    place: target?.place,
    status: response.headersSent ? response.statusCode : undefined,
    notes,
    receivedBytes: wire.receivedBytes,
    durationMs: performance.now() - startedMs,
    clientAddress,
    requestId: exchange.requestId,
  })
}

function openWire(request: IncomingMessage, response: ServerResponse, { settings, limits }: ExchangeDeps): WireBody {
  const awaitsContinue = request.headers.expect?.toLowerCase() === '100-continue'
  return new WireBody(request, response, {
    idleMs: settings.body_idle_timeout,
    bytesPerSecondMin: limits.bodyBytesPerSecondMin,
    awaitsContinue,
  })
}

/** Throws for a request that is refused whatever it asks for. */
function requireAdmitted(admitted: Admitted | undefined, request: IncomingMessage): Admitted {
  if (admitted === undefined) throw tooManyRequests()
  if (hasOtherCoding(request)) {
    throw new S3Error('NotImplemented', {
      message: 'The Transfer-Encoding must be chunked: send the body without another coding, or with a Content-Length.',
      closesConnection: true,
    })
  }
  return admitted
}

/** Requests arrive together only on several connections. A put would wait twice: its commit waits for those of other puts already. */
const isReadAmongOthers = ({ method }: IncomingMessage, { openConnections }: ExchangeDeps): boolean =>
  openConnections.count > 1 && (method === 'GET' || method === 'HEAD')

/** Throws SlowDown. Not for a request with a document, whose memory includes that of its answer. */
function holdAnswer({ body }: S3Answer, holdMemory: (bytes: number) => void): void {
  if (body === undefined) return
  const bytes = Buffer.byteLength(body)
  if (bytes > singleWriteBytesMax) holdMemory(bytes)
}

/** Made only for operations that need it. */
function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const abort = () => {
    // The response closes after each answer; an abort with its error takes 30 µs.
    if (!response.writableFinished) controller.abort(new Error('the connection was closed before the response'))
  }
  if (response.destroyed) abort()
  else response.once('close', abort)
  return controller.signal
}

const cutOff = 'CutOff'

interface ErrorContext {
  readonly target: S3Target | undefined
  readonly context: ExchangeDeps
}

/** Returns undefined when the response is sent already. */
function write(exchange: Exchange, answer: S3Answer, { isStopping }: ExchangeDeps, closes = false): Promise<void> | undefined {
  const closesConnection = closes || isStopping()
  if (!closesConnection && endFromMemory(exchange, answer)) return undefined
  return writeAnswer(exchange, answer, { closesConnection })
}

/** Returns the error code sent to the client, or `CutOff`. */
async function writeError(exchange: Exchange, error: unknown, { target, context }: ErrorContext): Promise<string> {
  const { request, response, requestId } = exchange
  const known = toS3Error(error, target?.place)
  const resource = target === undefined ? '' : describePlace(target.place)
  if (response.headersSent || request.socket.destroyed) {
    // The headers are sent: closing the connection signals that the response is incomplete.
    context.log.debug('S3 response aborted', { requestId, resource, error })
    response.destroy()
    return cutOff
  }
  if (known === undefined) context.log.error('S3 request failed', { requestId, method: request.method, resource, error })
  const refusal = known ?? new S3Error('InternalError', { cause: error })
  const body = request.method === 'HEAD' ? undefined : errorDocument.write({ error: refusal, resource, requestId, hostId })
  const answer = { status: refusal.status, headers: { 'content-type': 'application/xml', ...refusal.headers }, ...(body && { body }) }
  try {
    await write(exchange, answer, context, refusal.closesConnection)
    return refusal.code
  } catch (cause) {
    // The client disconnected.
    context.log.debug('S3 error response could not be written', { requestId, error: cause })
    response.destroy()
    return cutOff
  }
}
