/** Decides whether a request to the Admin listener may pass, before anything else is known about it. */
import type { IncomingMessage } from 'node:http'
import { defineErrors, kernelErrors, type SvcError } from '../errors.ts'
import { isPlainPath, isProtectedPath, type RequestPath } from '../http/request-path.ts'
import { readBasic } from './basic.ts'
import { isCrossSite } from './cross-site.ts'
import type { SignIn } from './sign-in.ts'
import type { OriginResolver, RequestOrigin } from './trusted-proxy.ts'

export const authErrors = defineErrors({
  csrf_required: { status: 403, message: 'The X-Svc-CSRF header must carry the CSRF token of the session.' },
})

/** Who makes the request. `nobody`: the path is open, or authentication is switched off. */
export type Identity = { readonly kind: 'nobody' } | { readonly kind: 'basic'; readonly username: string }

export type Verdict = { readonly pass: true; readonly identity: Identity } | { readonly pass: false; readonly error: SvcError }

export interface GuardedRequest {
  readonly raw: Pick<IncomingMessage, 'headers' | 'socket'>
  readonly method: string
  readonly path: RequestPath
  /** The pattern the router chose, such as `/api/v1/tasks/:id`; undefined when there is no such route. */
  readonly route: string | undefined
}

export interface GuardParts {
  readonly enabled: boolean
  readonly signIn: SignIn
  readonly resolveOrigin: OriginResolver
}

const nobody: Verdict = { pass: true, identity: { kind: 'nobody' } }
const refuse = (error: SvcError): Verdict => ({ pass: false, error })
const openPaths = new Set(['/api/v1/auth/login', '/api/v1/auth/session'])

/** The steps stand in their binding order: a Basic header wins over a cookie, and both are asked only where a path needs them. */
export async function judge(request: GuardedRequest, parts: GuardParts): Promise<Verdict> {
  const { path, route, raw } = request
  if (!parts.enabled || !isProtectedPath(path, route)) return nobody
  if (isPlainPath(path) && openPaths.has(path.raw)) return nobody
  const basic = readBasic(raw.headers.authorization)
  if (basic) {
    const origin = parts.resolveOrigin(raw)
    if (isCrossSite(raw.headers, origin)) return refuse(kernelErrors.cross_site_basic())
    return judgeBasic(basic, origin, parts)
  }
  return refuse(kernelErrors.authentication_required())
}

async function judgeBasic(credentials: { username: string; password: string }, { clientIp }: RequestOrigin, parts: GuardParts) {
  const attempt = await parts.signIn.checkBasic(credentials, clientIp)
  if (attempt.kind === 'limited') return refuse(kernelErrors.login_rate_limited({ retryAfterSeconds: attempt.retryAfterSeconds }))
  if (attempt.kind === 'wrong') return refuse(kernelErrors.authentication_required({ message: 'The username or password is wrong.' }))
  return { pass: true, identity: { kind: 'basic', username: credentials.username.trim() } } as const
}
