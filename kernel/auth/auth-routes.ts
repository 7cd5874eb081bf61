import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { kernelErrors } from '../errors.ts'
import { serveEndpoint } from '../http/endpoint.ts'
import type { AdminAuth } from './admin-auth.ts'
import { login, logout, readSession, refresh } from './auth-api.ts'
import { clearSessionCookie, writeSessionCookie } from './session-cookie.ts'
import { type IssuedSession, lifetimeSeconds, viewSession } from './sessions.ts'
import { refusalOf } from './sign-in.ts'

/** Login, session, refresh and logout of the browser. The guard has asked for session and CSRF token where these need them. */
export function registerAuthRoutes(app: FastifyInstance, { signIn, sessions, resolveOrigin }: AdminAuth): void {
  const isSecure = (request: FastifyRequest) => resolveOrigin(request.raw).scheme === 'https'
  const setCookie = (request: FastifyRequest, reply: FastifyReply, { claims, token }: IssuedSession) => {
    const persist = claims.remember ? { maxAgeSeconds: lifetimeSeconds(claims), expiresMs: claims.expires_at * 1000 } : undefined
    reply.header('set-cookie', writeSessionCookie(token, { isSecure: isSecure(request), persist }))
  }
  const clearCookie = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('set-cookie', clearSessionCookie(isSecure(request)))
  }
  const sessionOf = (request: FastifyRequest, reply: FastifyReply) => {
    const claims = sessions.read(request.headers.cookie)
    if (claims) return claims
    clearCookie(request, reply)
    throw kernelErrors.authentication_required({ message: 'There is no valid session: sign in.' })
  }

  serveEndpoint(app, login, async ({ body, request, reply }) => {
    const refusal = refusalOf(await signIn.check(body, resolveOrigin(request.raw).clientIp))
    if (refusal) throw refusal
    const session = sessions.begin(body.remember ?? false)
    setCookie(request, reply, session)
    return viewSession(session.claims)
  })

  serveEndpoint(app, readSession, async ({ request, reply }) => viewSession(sessionOf(request, reply)))

  serveEndpoint(app, refresh, async ({ request, reply }) => {
    const claims = sessionOf(request, reply)
    const renewed = sessions.renew(claims)
    if (renewed) setCookie(request, reply, renewed)
    return viewSession(renewed?.claims ?? claims)
  })

  serveEndpoint(app, logout, async ({ request, reply }) => {
    const claims = sessionOf(request, reply)
    clearCookie(request, reply)
    if (!sessions.end(claims)) {
      throw kernelErrors.service_unavailable({
        message: 'The cookie is removed, but the session could not be ended everywhere; try again later.',
      })
    }
  })
}
