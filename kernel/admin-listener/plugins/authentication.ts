import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { AdminAuth } from '../../auth/admin-auth.ts'
import { isUnsafeMethod } from '../../auth/csrf.ts'
import { judge } from '../../auth/guard.ts'
import { clearSessionCookie } from '../../auth/session-cookie.ts'
import { kernelErrors } from '../../errors.ts'
import { neededRole } from '../../http/role-policy.ts'
import { explainAmbiguousHead } from '../ambiguous-head.ts'
import { auditRefusal } from '../audit-request.ts'
import { admitIdentity } from '../identity.ts'
import { addStep } from './entrance.ts'

interface AuthenticationOptions {
  readonly auth: AdminAuth
  /** Called for each request with credentials. */
  readonly onAuthenticated: (request: IncomingMessage) => void
}

/** Admits a request by the access of its route, and refuses all others. Refusals have the security headers and a deadline too. */
export const authentication = fp(
  async (app: FastifyInstance, { auth, onAuthenticated }: AuthenticationOptions) => {
    addStep(app, async ({ request, reply, access, clientIp, isSecure }) => {
      const { raw, method } = request
      const ambiguity = explainAmbiguousHead(raw)
      if (ambiguity !== undefined) throw kernelErrors.invalid_request({ message: ambiguity })
      const role = neededRole(request.is404 ? 'read-only' : request.routeOptions.config.role, isUnsafeMethod(method))
      const verdict = await judge({ raw, method, access, role }, auth)
      if (!verdict.pass) {
        auditRefusal(request, verdict, auth.audit, clientIp)
        if (verdict.clearCookie) reply.header('set-cookie', clearSessionCookie(isSecure))
        throw verdict.error
      }
      admitIdentity(request, verdict.identity)
      if (verdict.identity.kind !== 'anonymous') onAuthenticated(raw)
      return undefined
    })
  },
  { name: 'svc.authentication', dependencies: ['svc.entrance', 'svc.response-headers', 'svc.request-limits'] },
)
