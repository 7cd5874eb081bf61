import { ApiError, readAnswer, readApiError, tooSlow, unreachable } from './api-error.ts'
import { type AnyInput, apiPath } from './api-path.ts'
import type { Answer, Input, Route } from './endpoints.ts'
import { Observable } from './observable.ts'

/** Longest usual request of the Admin API; calls that last longer, such as a restore, say so. */
const callMs = 60_000

/** Value of the X-Svc-CSRF header; empty without a session. */
export const csrfToken = new Observable('')
/** The number of times that the session was found ended since the page was loaded. */
export const signOuts = new Observable(0)
/** False after a request without an answer, until the next answer. */
export const isReachable = new Observable(true)

interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number
  /** Further headers, such as the conditions of an action. */
  readonly headers?: Readonly<Record<string, string>>
}

type Members<R extends Route> =
  object extends Input<R> ? [input?: Input<R>, options?: CallOptions] : [input: Input<R>, options?: CallOptions]

/** Calls the Admin API: `await call('GET /buckets/:name', { params: { name } })`. Throws ApiError. */
export async function call<R extends Route>(route: R, ...[input = {} as Input<R>, options = {}]: Members<R>): Promise<Answer<R>> {
  return (await callUntyped(route, input as AnyInput, options)) as Answer<R>
}

/** The same for a route that is known at run time only. */
export const callUntyped = (route: string, input: AnyInput, options: CallOptions): Promise<unknown> =>
  withFreshToken(() => send(route, input, options), options)

/** Each sign-in makes a new token. After one in another tab, the shared cookie no longer fits the token of this tab. */
export async function withFreshToken<T>(change: () => Promise<T>, options: CallOptions = {}): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'csrf_required') throw error
  }
  csrfToken.value = (await call('GET /auth/session', {}, options)).csrf_token
  return change()
}

async function send(route: string, input: AnyInput, { signal, deadlineMs = callMs, headers: further = {} }: CallOptions): Promise<unknown> {
  const deadline = AbortSignal.timeout(deadlineMs)
  const method = route.slice(0, route.indexOf(' '))
  const token = csrfToken.value
  const headers = writeHeaders(method, input.body)
  for (const [name, value] of Object.entries(further)) headers.set(name, value)
  let response: Response
  let text: string
  try {
    response = await fetch(apiPath(route, input), {
      method,
      headers,
      credentials: 'same-origin',
      body: input.body === undefined ? null : JSON.stringify(input.body),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    text = await response.text()
  } catch (error) {
    // The caller no longer wants the answer.
    if (signal?.aborted) throw error
    if (deadline.aborted) throw tooSlow()
    isReachable.value = false
    throw unreachable()
  }
  isReachable.value = true
  if (!response.ok) throw noteRefusal(readApiError(response.status, text, response.headers.get('retry-after')), { route, token })
  return readAnswer(text)
}

function writeHeaders(method: string, body?: unknown): Headers {
  const headers = new Headers({ accept: 'application/json' })
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (method !== 'GET' && csrfToken.value !== '') headers.set('x-svc-csrf', csrfToken.value)
  return headers
}

interface SentRequest {
  readonly route: string
  /** The token of the session that it was sent in. */
  readonly token: string
}

/** A wrong password does not end the session, and a late refusal of a request of an earlier session does not end the present one. */
export function noteRefusal(error: ApiError, { route, token }: SentRequest): ApiError {
  if (error.status === 401 && !route.endsWith(' /auth/login') && token === csrfToken.value) signOuts.value += 1
  return error
}
