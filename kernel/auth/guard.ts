/** Decides whether a request to the Admin listener may pass, before anything else is known about it. */
import type { IncomingMessage } from 'node:http'
import { kernelErrors, type SvcError } from '../errors.ts'
import { isPlainPath, isProtectedPath, type RequestPath } from '../http/request-path.ts'
import type { AdminAuth } from './admin-auth.ts'
import { type Credentials, readBasic } from './basic.ts'
import { isCrossSite } from './cross-site.ts'
import { csrfErrors, hasCsrfToken, isUnsafeMethod } from './csrf.ts'
import { refusalOf } from './sign-in.ts'

/** Who makes the request. `nobody`: the path is open, or authentication is switched off. */
export type Identity =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'basic'; readonly username: string }
  /** `isCurrent` turns false when the session expires or is ended: a long answer ends then. */
  | { readonly kind: 'session'; readonly username: string; readonly isCurrent: () => boolean }

export type Verdict =
  | { readonly pass: true; readonly identity: Identity }
  /** `clearCookie`: the session that came is worth nothing, so the browser should forget it. */
  | { readonly pass: false; readonly error: SvcError; readonly clearCookie: boolean }

export interface GuardedRequest {
  readonly raw: Pick<IncomingMessage, 'headers' | 'socket'>
  readonly method: string
  readonly path: RequestPath
  /** The pattern the router chose, such as `/api/v1/tasks/:id`; undefined when there is no such route. */
  readonly route: string | undefined
}

const openPaths = new Set(['/api/v1/auth/login', '/api/v1/auth/session'])
const sessionOnlyPaths = new Set(['/api/v1/auth/refresh', '/api/v1/auth/logout'])

const nobody: Verdict = { pass: true, identity: { kind: 'nobody' } }
const refuse = (error: SvcError, { clearCookie = false } = {}): Verdict => ({ pass: false, error, clearCookie })

/** The steps stand in their binding order: a Basic header wins over a cookie, and both are asked only where a path needs them. */
export async function judge(request: GuardedRequest, auth: AdminAuth): Promise<Verdict> {
  const { path, route, raw, method } = request
  if (!auth.enabled || !isProtectedPath(path, route)) return nobody
  if (isPlainPath(path) && openPaths.has(path.raw)) return nobody
  if (sessionOnlyPaths.has(path.raw) || sessionOnlyPaths.has(route ?? '')) return judgeSession(raw, auth, { needsCsrf: true })
  const credentials = readBasic(raw.headers.authorization)
  if (credentials) return judgeBasic(raw, auth, credentials)
  return judgeSession(raw, auth, { needsCsrf: isUnsafeMethod(method) })
}

async function judgeBasic(raw: GuardedRequest['raw'], auth: AdminAuth, credentials: Credentials): Promise<Verdict> {
  const origin = auth.resolveOrigin(raw)
  if (isCrossSite(raw.headers, origin)) return refuse(kernelErrors.cross_site_basic())
  const refusal = refusalOf(await auth.signIn.checkBasic(credentials, origin.clientIp))
  return refusal ? refuse(refusal) : { pass: true, identity: { kind: 'basic', username: credentials.username.trim() } }
}

function judgeSession(raw: GuardedRequest['raw'], { sessions }: AdminAuth, { needsCsrf }: { readonly needsCsrf: boolean }): Verdict {
  const claims = sessions.read(raw.headers.cookie)
  if (!claims) return refuse(kernelErrors.authentication_required(), { clearCookie: true })
  if (needsCsrf && !hasCsrfToken(raw.headers, claims.csrf_token)) return refuse(csrfErrors.csrf_required())
  return { pass: true, identity: { kind: 'session', username: claims.username, isCurrent: () => sessions.isCurrent(claims) } }
}
