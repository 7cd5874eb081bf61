/** Writes requests of the Admin listener to the audit log, for every route. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Audit, AuditedRequest } from '../auth/audit.ts'
import { isUnsafeMethod } from '../auth/csrf.ts'
import type { Identity, Verdict } from '../auth/guard.ts'
import { noteSubject, subjectOf } from '../http/audit-subject.ts'

/**
 * I-35: logs every admitted request that may change something, or whose endpoint is audited, when it ends, also when the route fails or the
 * client disconnects. An endpoint that only looks changes nothing.
 */
export function auditChange(
  request: FastifyRequest,
  reply: FastifyReply,
  audit: Audit,
  who: Pick<AuditedRequest, 'by' | 'how' | 'client'>,
): void {
  if (!(request.routeOptions.config.isAudited ?? isUnsafeMethod(request.method))) return
  reply.raw.once('close', () => {
    noteSubject(request, { ...(request.params as object) })
    audit.change({
      ...who,
      ...routeOf(request),
      subject: subjectOf(request),
      status: reply.raw.headersSent ? reply.raw.statusCode : undefined,
    })
  })
}

const refusedForSafety = new Set(['role_required', 'csrf_required', 'cross_site_basic', 'cross_site_refused', 'host_refused'])

/** Skips wrong passwords and blocks: the sign-in logs those. */
export function auditRefusal(request: FastifyRequest, refusal: Extract<Verdict, { pass: false }>, audit: Audit, client: string): void {
  const { error, sessionOf } = refusal
  if (!refusedForSafety.has(error.code)) return
  const how = sessionOf === undefined ? 'none' : 'session'
  audit.requestRefused({ code: error.code, by: sessionOf, how, client, ...routeOf(request) })
}

export function describeIdentity(identity: Identity): Pick<AuditedRequest, 'by' | 'how'> {
  return identity.kind === 'anonymous' ? { by: undefined, how: 'none' } : { by: identity.username, how: identity.kind }
}

const routeOf = ({ method, routeOptions }: FastifyRequest): Pick<AuditedRequest, 'method' | 'route'> => ({
  method,
  route: routeOptions.url,
})
