/** HTTP requests to a provider: egress guard, deadlines, bounded answers, no redirects. Failures before and after sending are distinguished. */
import { type ClientRequest, Agent as HttpAgent, IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { within } from '#kernel'
import { type CheckedTarget, checkEgress, type EgressOptions } from '#plugins/wallet'
import { type CallLimit, callDeadlineMs, connectBudgetMs, progressBudgetMs, uploadAnswerMs } from './call-deadline-policy.ts'
import { type Answered, type Exchange, type NotSent, notSent, shorten, type Uncertain, uncertain } from './provider-answer.ts'
import {
  answerBytesMax,
  idleConnectionMs,
  idleConnectionsMax,
  type TimeLimits,
  timeLimits,
  writtenAtOnceBytesMax,
} from './provider-limits.ts'
import { sendBody, type UploadBody, UploadSourceFailed } from './upload-body.ts'

export interface ProviderRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the service URL, without a leading slash: `pdp/ping`. */
  readonly path: string
  readonly json?: unknown
  readonly upload?: UploadBody | undefined
  readonly range?: string | undefined
  /** Name of the time limit of this call. */
  readonly limit: CallLimit
  /** A call that costs money or cannot be repeated. It opens its own connection, because the server may close an idle one during the request. */
  readonly isSentOnce?: boolean
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes handed to the connection so far. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined
}

export interface ProviderOptions extends EgressOptions {
  /** Overrides for tests. */
  readonly timeLimits?: Partial<TimeLimits> | undefined
}

/** An answer whose body is not read yet. Destroying the stream closes the connection. */
export interface OpenAnswer {
  readonly kind: 'open'
  readonly status: number
  readonly headers: Answered['headers']
  readonly stream: Readable
}

export interface ProviderHttp {
  readonly baseUrl: URL
  /** Sends a request and reads the whole answer. Rejects only with `UploadSourceFailed`. */
  exchange(request: ProviderRequest): Promise<Exchange>
  /** Sends a request. Returns 200 and 206 with the body as a stream, other statuses with the body read. */
  open(request: ProviderRequest): Promise<OpenAnswer | Exchange>
  /** Closes idle connections. Running calls are not interrupted. */
  close(): void
}

/** @throws Error when `serviceUrl` is not a URL */
export function openProviderHttp(serviceUrl: string, options: ProviderOptions): ProviderHttp {
  const baseUrl = new URL(serviceUrl)
  baseUrl.search = ''
  baseUrl.hash = ''
  // The URL resolver would drop the last path segment without the slash.
  if (!baseUrl.pathname.endsWith('/')) baseUrl.pathname += '/'
  const limits = { ...timeLimits, ...options.timeLimits }
  const pool = { keepAlive: true, maxFreeSockets: idleConnectionsMax, timeout: idleConnectionMs }
  const agent = baseUrl.protocol === 'https:' ? new HttpsAgent(pool) : new HttpAgent(pool)

  const begin = async (request: ProviderRequest): Promise<Call | NotSent> => {
    if (request.signal?.aborted) return aborted(request.signal)
    const target = await checkTarget(new URL(request.path, baseUrl).href, options, connectBudgetMs(request.limit, limits))
    if (target.kind !== 'allowed') return target
    // I-07: the lease may have been lost during the DNS lookup. From here on `startCall` listens to the signal.
    if (request.signal?.aborted) return aborted(request.signal)
    return startCall(request, target, { limits, agent: canBeSentAgain(request) ? agent : undefined })
  }
  const attempt = async (request: ProviderRequest): Promise<Attempt> => {
    const call = await begin(request)
    return 'kind' in call ? { result: call, isStale: false } : await finish(call, request, limits)
  }
  return {
    baseUrl,
    exchange: (request) =>
      settleByDeadline(request, limits, async (bounded) => {
        const first = await attempt(bounded)
        // The server closed an idle connection during the request. Retrying is safe: requests that are sent once do not use idle connections.
        return first.isStale ? (await attempt(bounded)).result : first.result
      }),
    open: (request) =>
      settleByDeadline(request, limits, async (bounded) => {
        const call = await begin(bounded)
        if ('kind' in call) return call
        const response = await call.response
        if (!(response instanceof IncomingMessage)) return response
        const status = response.statusCode ?? 0
        if (status !== 200 && status !== 206) return await readAnswer(call, response)
        call.endTimer()
        const idleMs = limits.transferIdle
        response.setTimeout(idleMs, () => response.destroy(new Error(`no byte for ${idleMs} ms`)))
        return { kind: 'open', status, headers: response.headers, stream: response }
      }),
    close: () => agent.destroy(),
  }
}

/** Last resort: settles the call at its deadline, even if the connection is silent or sends data endlessly. */
function settleByDeadline<T>(
  request: ProviderRequest,
  limits: TimeLimits,
  settle: (bounded: ProviderRequest) => Promise<T>,
): Promise<T | Uncertain> {
  const stop = new AbortController()
  const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal])
  const ms = callDeadlineMs(request.limit, request.upload?.size ?? 0, limits)
  return within(ms, settle({ ...request, signal }), () => {
    const detail = `no complete answer within ${Math.round(ms)} ms`
    stop.abort(new Error(detail))
    return uncertain({ reason: 'timeout', detail })
  })
}

/** A request on an idle connection may fail because the server closes it, and is then sent again. */
const canBeSentAgain = ({ isSentOnce, upload }: ProviderRequest): boolean =>
  !isSentOnce && (upload === undefined || upload.bytes !== undefined)

const aborted = ({ reason }: AbortSignal): NotSent => notSent({ reason: 'aborted', detail: shorten(String(reason)) })

interface Attempt {
  readonly result: Exchange
  readonly isStale: boolean
}

/** A running request. `response` never rejects: a failed request resolves to `NotSent` or `Uncertain`. */
interface Call {
  readonly request: ClientRequest
  readonly response: Promise<IncomingMessage | NotSent | Uncertain>
  /** Resolves when bytes of the request may be on the wire; never if the connection fails. */
  readonly ready: Promise<void>
  /** Restarts the timer of the call. When it fires, the request is destroyed as timed out. */
  startTimer(ms: number, waitingFor: string): void
  endTimer(): void
  /** The result if the request fails now with `error`. */
  failureFor(error: Error): NotSent | Uncertain
}

async function checkTarget(url: string, egress: EgressOptions, connectMs: number): Promise<CheckedTarget | NotSent> {
  const check = await within(connectMs, checkEgress(url, egress), () => 'late' as const)
  if (check === 'late') return notSent({ reason: 'unreachable', step: 'dns', detail: `the name did not resolve within ${connectMs} ms` })
  if (check.kind === 'refused') return notSent({ reason: 'egress_refused', refusal: check.reason, detail: check.detail })
  if (check.kind === 'unresolved') return notSent({ reason: 'unreachable', step: 'dns', detail: shorten(check.cause.message) })
  return check
}

class TimedOut extends Error {}
class AbortedByCaller extends Error {}

interface CallSetup {
  readonly limits: TimeLimits
  /** Pool of idle connections; undefined to open a new connection. */
  readonly agent: HttpAgent | undefined
}

function startCall(providerRequest: ProviderRequest, target: CheckedTarget, { limits, agent }: CallSetup): Call {
  const isTls = target.url.protocol === 'https:'
  const body = providerRequest.json === undefined ? undefined : Buffer.from(JSON.stringify(providerRequest.json))
  const request = (isTls ? requestHttps : requestHttp)({
    ...urlToHttpOptions(target.url),
    method: providerRequest.method,
    headers: headersOf(providerRequest, body),
    lookup: target.lookup,
    agent: agent ?? false,
  })
  const connection = watchConnection(request, isTls)
  let timedOut: TimedOut | undefined
  const failureFor = (reported: Error): NotSent | Uncertain => {
    // When our timer cuts a response short, Node reports a lost connection.
    const error = timedOut ?? reported
    const detail = shorten(error.message)
    if (error instanceof AbortedByCaller)
      return connection.isReady() ? uncertain({ reason: 'aborted', detail }) : notSent({ reason: 'aborted', detail })
    if (!connection.isReady()) return notSent({ reason: 'unreachable', step: connection.isTcpReady() ? 'tls' : 'connect', detail })
    return uncertain({ reason: error instanceof TimedOut ? 'timeout' : 'connection_lost', detail })
  }
  let timer: NodeJS.Timeout | undefined
  const startTimer = (ms: number, waitingFor: string) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      timedOut = new TimedOut(`no ${waitingFor} within ${Math.round(ms)} ms`)
      request.destroy(timedOut)
    }, ms)
  }
  const stop = () => request.destroy(new AbortedByCaller(String(providerRequest.signal?.reason)))
  providerRequest.signal?.addEventListener('abort', stop, { once: true })
  request.once('close', () => {
    clearTimeout(timer)
    providerRequest.signal?.removeEventListener('abort', stop)
  })
  const { promise: response, resolve } = Promise.withResolvers<IncomingMessage | NotSent | Uncertain>()
  request.once('response', resolve)
  request.on('error', (error) => resolve(failureFor(error)))
  request.once('upgrade', ({ statusCode = 101 }, socket) => {
    socket.destroy()
    request.destroy()
    resolve(uncertain({ reason: 'unreadable_answer', status: statusCode, detail: 'the provider switched to another protocol' }))
  })
  // Some failures emit only `close`. Not after an answer: the stack of the error takes 20 µs.
  const closed = () => resolve(failureFor(new Error('the connection was closed without an answer')))
  request.once('close', closed).once('response', () => request.off('close', closed))
  startTimer(connectBudgetMs(providerRequest.limit, limits), 'connection')
  connection.ready.then(() => startTimer(limits[providerRequest.limit === 'upload' ? 'transferIdle' : providerRequest.limit], 'answer'))
  if (providerRequest.upload === undefined) request.end(body)
  return { request, response, ready: connection.ready, startTimer, endTimer: () => clearTimeout(timer), failureFor }
}

function headersOf(providerRequest: ProviderRequest, body: Buffer | undefined): Record<string, string | number> {
  const headers: Record<string, string | number> = { 'user-agent': 'svc', 'accept-encoding': 'identity' }
  if (providerRequest.range !== undefined) headers.range = providerRequest.range
  if (body !== undefined) Object.assign(headers, { 'content-type': 'application/json', 'content-length': body.length })
  else if (providerRequest.upload !== undefined)
    Object.assign(headers, { 'content-type': 'application/octet-stream', 'content-length': providerRequest.upload.size })
  else if (providerRequest.method === 'POST') headers['content-length'] = 0
  return headers
}

/** Watches the socket until bytes of the request may be on the wire. */
function watchConnection(request: ClientRequest, isTls: boolean) {
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  let isReady = false
  let isTcpReady = false
  const becomeReady = () => {
    isReady = true
    resolve()
  }
  request.once('socket', (socket) => {
    if (!socket.connecting && request.reusedSocket) return becomeReady()
    socket.once('connect', () => {
      isTcpReady = true
    })
    socket.once(isTls ? 'secureConnect' : 'connect', becomeReady)
  })
  return { ready, isReady: () => isReady, isTcpReady: () => isTcpReady }
}

async function finish(call: Call, providerRequest: ProviderRequest, limits: TimeLimits): Promise<Attempt> {
  const sending = upload(call, providerRequest, limits)
  const response = await call.response
  if (response instanceof IncomingMessage) return { result: await readAnswer(call, response), isStale: false }
  const localFailure = await sending
  if (localFailure !== undefined) throw localFailure
  const isLost = response.kind === 'uncertain' && response.cause.reason === 'connection_lost'
  return { result: response, isStale: isLost && call.request.reusedSocket && canBeSentAgain(providerRequest) }
}

/** Streams the body. Resolves to the error if the local bytes failed. */
async function upload(
  call: Call,
  { upload: body, onProgress }: ProviderRequest,
  limits: TimeLimits,
): Promise<UploadSourceFailed | undefined> {
  if (body === undefined) return undefined
  await Promise.race([call.ready, call.response])
  if (body.bytes !== undefined && body.size <= writtenAtOnceBytesMax) {
    call.request.end(body.bytes)
    onProgress?.(body.size)
    call.startTimer(uploadAnswerMs(body.size, limits), 'answer')
    return undefined
  }
  const startedAtMs = performance.now()
  try {
    await sendBody(body, call.request, (sentBytes) => {
      call.startTimer(progressBudgetMs({ sentBytes, elapsedMs: performance.now() - startedAtMs }, limits), 'progress')
      onProgress?.(sentBytes)
    })
    call.startTimer(uploadAnswerMs(body.size, limits), 'answer')
    return undefined
  } catch (error) {
    // A broken connection is reported by the request; only report a failure of the local bytes.
    return error instanceof UploadSourceFailed ? error : undefined
  }
}

/** Reads the body of the answer. An overlong body is truncated if the status is an error, otherwise unreadable. */
async function readAnswer(call: Call, response: IncomingMessage): Promise<Exchange> {
  const status = response.statusCode ?? 0
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > answerBytesMax) break
      chunks.push(chunk)
    }
  } catch (error) {
    return call.failureFor(error instanceof Error ? error : new Error(String(error)))
  } finally {
    call.endTimer()
    // The answer may come before the end of the upload: stop sending.
    if (!call.request.writableFinished) call.request.destroy()
  }
  if (bytes > answerBytesMax && status < 400) {
    return uncertain({ reason: 'unreadable_answer', status, detail: `the answer is longer than ${answerBytesMax} bytes` })
  }
  return { kind: 'answered', status, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }
}
