/**
 * The requests of commands. Bodies and answers are streams: as long as bytes move, no limit of time ends them. Does not use fetch, which
 * times out after 300 s without an answer, fails on a 401 to a streamed body, and follows redirects.
 */
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { CommandError, within } from '#kernel'

/** Longest wait for the next bytes. Longer than the heartbeat of the event stream, and than a disk takes to flush. */
export const streamIdleMs = 60_000
/** Longest JSON answer that is kept in memory. */
const textBytesMax = 16 * 1024 * 1024

export interface StreamRequest {
  /** Base URL of the Admin API, for messages. */
  readonly base: string
  /** Path and query. */
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: AsyncIterable<Uint8Array> | string | undefined
  /** Longest wait for the headers of the answer, after the body was sent. */
  readonly answerMs: number
  /** Default: `streamIdleMs`. */
  readonly idleMs?: number
}

export interface StreamAnswer {
  /** Status and headers; its body is not set. */
  readonly response: Response
  /** Throws CommandError when the connection ends early or stays silent for `idleMs`. Leaving the loop closes the connection. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Ends the connection, and with an error the loop over its bytes. */
  close(): void
}

/**
 * Sends the request and resolves with the headers of the answer, also when they come before the body is sent. Throws CommandError at a
 * limit of time, the error of the body, and that of the connection.
 */
export async function openStream(sent: StreamRequest): Promise<StreamAnswer> {
  const { base, path, method, headers, idleMs = streamIdleMs } = sent
  const url = new URL(base + path)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  // A separate connection, because a request that is cut in the middle makes its connection unusable.
  const outgoing = send(url, { method, headers, agent: false })
  try {
    const answer = await exchange(outgoing, sent)
    return { response: toResponse(answer), bytes: readBytes(answer, { base, idleMs }), close: () => void answer.destroy() }
  } catch (error) {
    outgoing.destroy()
    throw error
  }
}

/** All of an answer as text. Throws CommandError above 16 MiB. */
export async function readText({ bytes }: Pick<StreamAnswer, 'bytes'>, base: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > textBytesMax) throw new CommandError(`the answer of ${base} is larger than ${textBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

async function exchange(outgoing: ClientRequest, { base, body, answerMs, idleMs = streamIdleMs }: StreamRequest) {
  const stop = new AbortController()
  // The answer wins over a failed write: a service that refuses early closes the connection under the body.
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
  })
  const written = writeBody(outgoing, body, { signal: stop.signal, idleMs, base })
  try {
    const late = (): never => {
      throw new CommandError(`no answer from ${base}: it did not come within ${answerMs / 1000} s (--timeout)`)
    }
    return await Promise.race([answered, written.then(() => within(answerMs, answered, late))])
  } finally {
    stop.abort()
    // Both may still be rejected; the caller has its result.
    void Promise.allSettled([answered, written])
  }
}

interface BodyLimits {
  /** Aborts when the answer is there: the rest of the body is not sent. */
  readonly signal: AbortSignal
  readonly idleMs: number
  readonly base: string
}

async function writeBody(outgoing: ClientRequest, body: StreamRequest['body'], { signal, idleMs, base }: BodyLimits): Promise<void> {
  if (body === undefined || typeof body === 'string') {
    outgoing.end(body)
    return
  }
  outgoing.flushHeaders()
  for await (const chunk of body) {
    if (signal.aborted || outgoing.destroyed) return
    if (outgoing.write(chunk)) continue
    // Only the connection is timed: a slow source of bytes, such as a pipe, may take as long as the service allows.
    const drained = AbortSignal.any([signal, AbortSignal.timeout(idleMs)])
    await once(outgoing, 'drain', { signal: drained }).catch((cause) => {
      if (!signal.aborted && drained.aborted) throw new CommandError(`${base} took no bytes for ${idleMs / 1000} s`, { cause })
      throw cause
    })
  }
  outgoing.end()
}

/** Leaves out the body, which `readBytes` reads: `Response` refuses one for some statuses. */
function toResponse({ statusCode = 0, headers }: IncomingMessage): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as [string, string]] : []))
  return new Response(null, { status: statusCode, headers: pairs })
}

async function* readBytes(answer: IncomingMessage, { base, idleMs }: { readonly base: string; readonly idleMs: number }) {
  const silent = () => answer.destroy(new Error(`it sent nothing for ${idleMs / 1000} s`))
  let timer = setTimeout(silent, idleMs)
  try {
    for await (const chunk of answer) {
      // Only the service is timed, not the reader of these bytes.
      clearTimeout(timer)
      yield chunk as Uint8Array
      timer = setTimeout(silent, idleMs)
    }
  } catch (cause) {
    throw new CommandError(`the answer of ${base} broke off: ${(cause as Error).message}`, { cause })
  } finally {
    clearTimeout(timer)
    answer.destroy()
  }
}
