import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { kernelErrors } from '../errors.ts'
import { serveEndpoint } from '../http/endpoint.ts'
import type { RouteAccessRules } from '../http/route-access.ts'
import type { AdminAuth } from './admin-auth.ts'
import { listMethods, login, logout, readSession, refresh } from './auth-api.ts'
import { clearSessionCookie, isSecure, setSessionCookie } from './session-cookie.ts'
import type { SessionClaims } from './session-token.ts'
import { viewSession } from './sessions.ts'
import { refusalOf } from './sign-in.ts'

/** Must be in a group with open access. */
export function registerLogin(app: FastifyInstance, auth: AdminAuth): void {
  serveEndpoint(app, listMethods, async () => ({ second_factor: auth.signIn.secondFactor.isOn, external: [...auth.offers] }))

  serveEndpoint(app, login, async ({ body, request, reply }) => {
    // Reveals nothing about the password, so it does not count as an attempt.
    if (auth.signIn.secondFactor.isOn && !body.code) throw kernelErrors.second_factor_required()
    const refusal = refusalOf(await auth.signIn.check(body, auth.resolveOrigin(request.raw).clientIp))
    if (refusal) throw refusal
    const session = auth.sessions.begin(body.remember ?? false)
    setSessionCookie(auth, { request, reply }, session)
    return viewSession(session.claims)
  })
}

/** Must be in a group with session access: the guard has checked the session, and the CSRF token of changes. */
export function registerSessionRoutes(app: FastifyInstance, auth: AdminAuth, rules: Pick<RouteAccessRules, 'refusedTo'>): void {
  const { sessions } = auth
  const clearCookie = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('set-cookie', clearSessionCookie(isSecure(auth, request)))
  }
  const sessionOf = (request: FastifyRequest, reply: FastifyReply) => {
    const claims = sessions.read(request.headers.cookie)
    if (claims) return claims
    // The session expired after the guard's check.
    clearCookie(request, reply)
    throw kernelErrors.authentication_required({ message: 'There is no valid session: sign in.' })
  }

  /** Adds what the role may not do, so that the dashboard does not offer it. */
  const show = (claims: SessionClaims) => {
    const view = viewSession(claims)
    return view.role === undefined ? view : { ...view, refused: [...rules.refusedTo(view.role)] }
  }

  serveEndpoint(app, readSession, async ({ request, reply }) => show(sessionOf(request, reply)))

  serveEndpoint(app, refresh, async ({ request, reply }) => {
    const claims = sessionOf(request, reply)
    const renewed = sessions.renew(claims)
    if (renewed) setSessionCookie(auth, { request, reply }, renewed)
    return show(renewed?.claims ?? claims)
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
