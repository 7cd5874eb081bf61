/** How a command talks to the running service: the Admin API with HTTP Basic credentials. */

import { type CommandCall, CommandError, type FlagSpec } from '#kernel'
import { checkSchema } from '#kernel/host'
import type { Endpoint, EndpointAnswer, EndpointRequest } from '#kernel/system'
import { isUnencryptedRemote, readAdminUrl } from './admin-address.ts'
import { findPassword, readLocalAdmin } from './admin-credentials.ts'
import { notSvc, refusalOf } from './admin-refusal.ts'
import { openStream, readText, type StreamAnswer, type StreamRequest } from './admin-stream.ts'

/** Flags of every command of `svc admin`. */
export const adminFlags = {
  adminUrl: { type: 'text', description: 'Address of the Admin API; else admin.addr of the configuration' },
  json: { type: 'switch', description: 'Print the result as JSON, alone on standard output' },
  timeout: { type: 'duration', description: 'Longest wait for one answer', default: '10s' },
  priceList: { type: 'text', description: 'Refuse changes when the prices are not those of this list, as svc admin cost prints it' },
} as const satisfies Readonly<Record<string, FlagSpec>>

const healthStates: readonly unknown[] = ['ok', 'setup', 'unhealthy']

// biome-ignore lint/complexity/noBannedTypes: tests whether all members are optional
type Sent<E extends Endpoint> = {} extends EndpointRequest<E> ? [request?: EndpointRequest<E>] : [request: EndpointRequest<E>]

export interface AdminClient {
  readonly url: string
  /**
   * Calls an endpoint and returns its answer. Waits for `--timeout`, or for the deadline of an endpoint that has its own. Throws
   * AdminRefusal, or CommandError without a valid answer of svc.
   */
  call<E extends Endpoint>(endpoint: E, ...sent: Sent<E>): Promise<EndpointAnswer<E>>
  /** The same with a body that is a stream; without `size` it is sent in chunks. Lasts as long as bytes move. */
  upload<E extends Endpoint>(endpoint: E, request: EndpointRequest<E>, body: UploadBody): Promise<EndpointAnswer<E>>
  /** An answer that is not JSON, as a stream. Lasts as long as bytes move. */
  open<E extends Endpoint>(endpoint: E, ...sent: Sent<E>): Promise<StreamAnswer>
  /** The same client; its changes are refused when the prices are not those of the list with this fingerprint. */
  withPrices(fingerprint: string): AdminClient
  /** GET /healthz, with any status. */
  readHealth(): Promise<{ readonly status: string; readonly errors?: readonly string[] }>
}

interface UploadBody {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly size?: number | undefined
  readonly contentType: string
}

/** A line of `svc admin`, with the parameters and flags that its code reads. */
export type AdminCall<P = unknown, F = unknown> = CommandCall<P, F & { adminUrl?: string | undefined; timeout: number }>

interface ClientCall extends Pick<AdminCall, 'env' | 'cwd'> {
  /** `svc doctor` has no `--price-list`, because it changes nothing at a gateway. */
  readonly flags: AdminCall['flags'] & { readonly priceList?: string | undefined }
  readonly out: Pick<CommandCall['out'], 'note' | 'askSecret'>
}

export async function openAdminClient(call: ClientCall): Promise<AdminClient> {
  const local = readLocalAdmin(call)
  const { adminUrl, timeout: timeoutMs } = call.flags
  const url = readAdminUrl(adminUrl ?? local.address)
  let authorization: Promise<string | undefined> | undefined
  const authorize = () => {
    authorization ??= local.needsPassword ? findAuthorization() : undefined
    return authorization
  }

  async function findAuthorization(): Promise<string | undefined> {
    // Before the password prompt, so that the operator can still cancel.
    if (isUnencryptedRemote(url)) {
      call.out.note(`warning: the Admin password goes to ${url} unencrypted; use https, or an SSH tunnel to a loopback address`)
    }
    return basic(local.username, await findPassword(call, local.username))
  }

  const clientWith = (priceList: string | undefined): AdminClient => {
    const open = async (endpoint: Endpoint, request: WireRequest = {}, body?: UploadBody) =>
      openEndpoint(endpoint, { request, body }, { url, timeoutMs, authorization: await authorize(), priceList })
    return {
      url,
      call: async (endpoint, ...[request]) => readAnswer(endpoint, await open(endpoint, request as WireRequest), url),
      upload: async (endpoint, request, body) => readAnswer(endpoint, await open(endpoint, request as WireRequest, body), url),
      async open(endpoint, ...[request]) {
        const opened = await open(endpoint, request as WireRequest)
        if (isStreamOf(endpoint, opened.response)) return opened
        opened.close()
        throw notSvc(url, opened.response.status)
      },
      withPrices: clientWith,
      readHealth: () => readHealth(url, timeoutMs),
    }
  }
  return clientWith(call.flags.priceList)
}

async function readHealth(url: string, timeoutMs: number) {
  // The health route needs no password.
  const opened = await send({ base: url, path: '/healthz', method: 'GET', headers: {}, answerMs: timeoutMs, idleMs: timeoutMs }, timeoutMs)
  const answer = readJson(await readText(opened, url))
  if (!isHealth(answer)) throw refusalOf(url, opened.response, undefined)
  return answer
}

/** An endpoint with a deadline above this moves an object: `--timeout` does not end it. */
const shortMs = 60_000

const isTransfer = ({ deadlineMs }: Endpoint): boolean => typeof deadlineMs === 'number' && deadlineMs > shortMs

interface OpenOptions {
  readonly url: string
  readonly timeoutMs: number
  readonly authorization: string | undefined
  readonly priceList: string | undefined
}

/** Resolves with the headers of a successful answer. */
async function openEndpoint(
  endpoint: Endpoint,
  { request, body }: { readonly request: WireRequest; readonly body?: UploadBody | undefined },
  { url, timeoutMs, authorization, priceList }: OpenOptions,
): Promise<StreamAnswer> {
  const json = request.body === undefined ? undefined : JSON.stringify(request.body)
  const type = json === undefined ? body?.contentType : 'application/json'
  const size = json === undefined ? body?.size : Buffer.byteLength(json)
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    // Compared only when a request changes something.
    ...(priceList === undefined ? {} : { 'svc-price-list': priceList }),
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(size === undefined ? {} : { 'content-length': String(size) }),
  }
  const answerMs = isTransfer(endpoint) ? Math.max(timeoutMs, Number(endpoint.deadlineMs)) : timeoutMs
  const path = pathOf(endpoint, request)
  const idle = isTransfer(endpoint) || endpoint.media !== undefined ? {} : { idleMs: timeoutMs }
  const sent = { base: url, path, method: endpoint.method, headers, body: json ?? body?.bytes, answerMs, ...idle }
  const answer = await send(sent, timeoutMs)
  if (answer.response.ok) return answer
  throw refusalOf(url, answer.response, readJson(await readText(answer, url)))
}

/** Throws CommandError when the connection fails. */
async function send(sent: StreamRequest, timeoutMs: number): Promise<StreamAnswer> {
  try {
    return await openStream(sent).catch((cause) => askWithoutBody(sent, cause, timeoutMs))
  } catch (cause) {
    throw cause instanceof CommandError ? cause : new CommandError(`no answer from ${sent.base}: ${explain(cause as Error)}`, { cause })
  }
}

const cutCodes: readonly unknown[] = ['EPIPE', 'ECONNRESET']

/** An early refusal closes the connection under the body, and its answer may be lost. A request with the headers alone gets the same refusal. */
async function askWithoutBody(sent: StreamRequest, cause: unknown, answerMs: number): Promise<StreamAnswer> {
  const wasCut = cutCodes.includes((cause as NodeJS.ErrnoException).code)
  if (!wasCut || sent.body === undefined || sent.headers['content-length'] === undefined) throw cause
  return openStream({ ...sent, body: undefined, answerMs }).catch(() => {
    throw cause
  })
}

/** Downloaded objects have any media type and are attachments. */
const isStreamOf = ({ media }: Endpoint, { headers }: Response): boolean =>
  headers.get('content-type') === media || headers.has('content-disposition')

interface WireRequest {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

const basic = (username: string, password: string | undefined): string | undefined =>
  password === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

const pathOf = ({ path }: Endpoint, { params, query }: WireRequest): string => fillPath(path, params) + writeQuery(query)

function fillPath(path: string, params: WireRequest['params'] = {}): string {
  return path.replaceAll(/:(\w+)/g, (_mark, name: string) => encodeURIComponent(String(params[name])))
}

function writeQuery(query: WireRequest['query'] = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Returns undefined when the text is not JSON, such as the page of a proxy. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller decides by the status.
    return undefined
  }
}

/** Refuses an answer of an unexpected form, which would fail later or be displayed wrongly. */
async function readAnswer(
  { path, answer: expected, status = 200, alsoStatus }: Endpoint,
  opened: StreamAnswer,
  url: string,
): Promise<never> {
  const answer = readJson(await readText(opened, url))
  const isKnown = opened.response.status === status || opened.response.status === alsoStatus
  if (!isKnown || (expected && answer === undefined)) throw notSvc(url, opened.response.status)
  if (!expected) return undefined as never
  const { errors } = checkSchema(expected, answer)
  if (!errors) return answer as never
  throw new CommandError(
    `${url}${path} answers in a form that this svc does not know (${errors.summary}); compare svc version with svc admin status`,
  )
}

const isHealth = (value: unknown): value is { status: string } => healthStates.includes((value as { status?: unknown } | undefined)?.status)

/** An AggregateError of several addresses has no message. */
const explain = (error: Error): string => `${error.message || String((error as NodeJS.ErrnoException).code)}; is svc serve running there?`
