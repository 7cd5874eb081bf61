import { type } from 'arktype'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { kernelErrors } from '../errors.ts'
import { parseBody } from '../http/body.ts'
import type { AdminAuth } from './admin-auth.ts'
import { clearSessionCookie, writeSessionCookie } from './session-cookie.ts'
import { type IssuedSession, lifetimeSeconds, viewSession } from './sessions.ts'
import { refusalOf } from './sign-in.ts'

const loginBody = type({ username: 'string', password: 'string', 'remember?': 'boolean' })
const loginBytesMax = 10 * 1024

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
  const readSession = (request: FastifyRequest, reply: FastifyReply) => {
    const claims = sessions.read(request.headers.cookie)
    if (claims) return claims
    clearCookie(request, reply)
    throw kernelErrors.authentication_required({ message: 'There is no valid session: sign in.' })
  }

  app.post('/api/v1/auth/login', async (request, reply) => {
    // Members that later versions of the dashboard may send do not keep it from signing in.
    const body = await parseBody(loginBody, request, { bytesMax: loginBytesMax, unknownMembers: 'drop' })
    const refusal = refusalOf(await signIn.check(body, resolveOrigin(request.raw).clientIp))
    if (refusal) throw refusal
    const session = sessions.begin(body.remember ?? false)
    setCookie(request, reply, session)
    return viewSession(session.claims)
  })

  app.get('/api/v1/auth/session', async (request, reply) => viewSession(readSession(request, reply)))

  app.post('/api/v1/auth/refresh', async (request, reply) => {
    const claims = readSession(request, reply)
    const renewed = sessions.renew(claims)
    if (renewed) setCookie(request, reply, renewed)
    return viewSession(renewed?.claims ?? claims)
  })

  app.post('/api/v1/auth/logout', async (request, reply) => {
    const claims = readSession(request, reply)
    clearCookie(request, reply)
    if (!sessions.end(claims)) {
      throw kernelErrors.service_unavailable({
        message: 'The cookie is removed, but the session could not be ended everywhere; try again later.',
      })
    }
    return reply.code(204).send()
  })
}
