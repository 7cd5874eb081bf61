/** Decides whether a request to the Admin listener may pass, by the access of the route that the router chose. */
import type { IncomingMessage } from 'node:http'
import { isLoopbackHostHeader } from '../config/loopback.ts'
import { kernelErrors, type SvcError } from '../errors.ts'
import { mayAct, type Role } from '../http/role-policy.ts'
import type { RouteAccess } from '../http/route-access.ts'
import type { AdminAuth } from './admin-auth.ts'
import { type Credentials, readBasic } from './basic.ts'
import { isCrossSite, isCrossSiteChange } from './cross-site.ts'
import { csrfErrors, hasCsrfToken, isUnsafeMethod } from './csrf.ts'
import { familyKey } from './session-family.ts'
import { refusalOf } from './sign-in.ts'

/** The caller. `anonymous`: the route is open, or authentication is off. */
export type Identity = { readonly kind: 'anonymous' } | { readonly kind: 'basic'; readonly username: string } | SessionIdentity

interface SessionIdentity {
  readonly kind: 'session'
  readonly username: string
  readonly role: Role
  /** The id of the session in the list of sessions. */
  readonly sessionId: string
  /** Becomes false when the session expires or is ended; a stream then ends. */
  readonly isCurrent: () => boolean
}

export type Verdict =
  | { readonly pass: true; readonly identity: Identity }
  | {
      readonly pass: false
      readonly error: SvcError
      /** The cookie's session is invalid: remove the cookie. */
      readonly clearCookie: boolean
      /** The identity of the valid session in a refused request. */
      readonly sessionOf?: string
    }

interface GuardedRequest {
  readonly raw: Pick<IncomingMessage, 'headers' | 'socket'>
  readonly method: string
  readonly access: RouteAccess
  /** The lowest role that may use the route. */
  readonly role: Role
}

const anonymous: Verdict = { pass: true, identity: { kind: 'anonymous' } }
const refuse = (error: SvcError, more: { readonly clearCookie?: boolean; readonly sessionOf?: string } = {}): Verdict => ({
  pass: false,
  error,
  clearCookie: false,
  ...more,
})

/** The order is binding: a Basic header takes precedence over a cookie, and both are checked only where a route needs them. */
export async function judge(request: GuardedRequest, auth: AdminAuth): Promise<Verdict> {
  const verdict = await authenticate(request, auth)
  if (!verdict.pass || verdict.identity.kind !== 'session') return verdict
  // I-54: the one place that compares roles. The password of the local admin, and a machine without authentication, are the admin.
  const { role, username } = verdict.identity
  if (mayAct(role, request.role)) return verdict
  return refuse(kernelErrors.role_required({ message: `Your role is ${role}; this needs the role ${request.role}.` }), {
    sessionOf: username,
  })
}

async function authenticate({ access, raw, method }: GuardedRequest, auth: AdminAuth): Promise<Verdict> {
  if (access === 'open') return judgeOpen(raw, auth, isUnsafeMethod(method))
  if (!auth.enabled) return judgeLocal(raw, auth)
  const needsCsrf = isUnsafeMethod(method)
  if (access === 'session') return judgeSession(raw, auth, { needsCsrf, refusal: noSession })
  const credentials = readBasic(raw.headers.authorization)
  if (credentials) return judgeBasic(raw, auth, credentials)
  return judgeSession(raw, auth, { needsCsrf, refusal: kernelErrors.authentication_required })
}

/** Other sites could sign in through the operator's browser, and block its address with wrong passwords. */
function judgeOpen(raw: GuardedRequest['raw'], { resolveOrigin }: AdminAuth, isChange: boolean): Verdict {
  return isChange && isCrossSiteChange(raw.headers, resolveOrigin(raw)) ? refuse(kernelErrors.cross_site_refused()) : anonymous
}

const noSession = () => kernelErrors.authentication_required({ message: 'There is no valid session: sign in.' })

/** Refuses requests that other sites make through the operator's browser: only the network protects without authentication. */
function judgeLocal(raw: GuardedRequest['raw'], { resolveOrigin }: AdminAuth): Verdict {
  // DNS rebinding: a page whose name resolves to this machine would count as same-origin.
  if (!isLoopbackHostHeader(raw.headers.host)) return refuse(kernelErrors.host_refused())
  return isCrossSite(raw.headers, resolveOrigin(raw)) ? refuse(kernelErrors.cross_site_refused()) : anonymous
}

async function judgeBasic(raw: GuardedRequest['raw'], auth: AdminAuth, credentials: Credentials): Promise<Verdict> {
  const origin = auth.resolveOrigin(raw)
  if (isCrossSite(raw.headers, origin)) return refuse(kernelErrors.cross_site_basic())
  const refusal = refusalOf(await auth.signIn.checkBasic(credentials, origin.clientIp))
  return refusal ? refuse(refusal) : { pass: true, identity: { kind: 'basic', username: credentials.username.trim() } }
}

interface SessionDemand {
  readonly needsCsrf: boolean
  readonly refusal: () => SvcError
}

function judgeSession(raw: GuardedRequest['raw'], { sessions, resolveOrigin }: AdminAuth, { needsCsrf, refusal }: SessionDemand): Verdict {
  const claims = sessions.read(raw.headers.cookie)
  if (!claims) return refuse(refusal(), { clearCookie: true })
  const { username } = claims
  if (needsCsrf && !hasCsrfToken(raw.headers, claims.csrf_token)) return refuse(csrfErrors.csrf_required(), { sessionOf: username })
  sessions.note(claims, resolveOrigin(raw).clientIp)
  const { role = 'admin', session_id } = claims
  const identity = {
    kind: 'session',
    username,
    role,
    sessionId: familyKey(session_id),
    isCurrent: () => sessions.isCurrent(claims),
  } as const
  return { pass: true, identity }
}
