/** Writes requests of the Admin listener into the audit log: one place for every route. */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Audit, AuditedRequest } from '../auth/audit.ts'
import { isUnsafeMethod } from '../auth/csrf.ts'
import type { Identity, Verdict } from '../auth/guard.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Also a request with a safe method is written into the audit log. */
    readonly isAudited?: boolean
  }
}

const subjects = new WeakMap<IncomingMessage, Readonly<Record<string, string | number | boolean>>>()
/** An object key has at most 1024 bytes; longer texts are cut. */
const textCharsMax = 1024

/** Adds ids of what the request is about to its line of the audit log. Texts, numbers and booleans are kept, everything else is left out. */
export function noteSubject(request: FastifyRequest, ids: Readonly<Record<string, unknown>>): void {
  const shown = { ...subjects.get(request.raw) }
  for (const [name, value] of Object.entries(ids)) {
    if (typeof value === 'string') shown[name] = value.slice(0, textCharsMax)
    else if (typeof value === 'number' || typeof value === 'boolean') shown[name] = value
  }
  subjects.set(request.raw, shown)
}

/** I-35: writes every admitted request that may change something, or whose endpoint is audited, once its connection is done with it. */
export function auditChange(
  request: FastifyRequest,
  reply: FastifyReply,
  audit: Audit,
  who: Pick<AuditedRequest, 'by' | 'how' | 'client'>,
): void {
  if (!isUnsafeMethod(request.method) && request.routeOptions.config.isAudited !== true) return
  reply.raw.once('close', () => {
    noteSubject(request, { ...(request.params as object) })
    audit.change({
      ...who,
      ...routeOf(request),
      subject: subjects.get(request.raw) ?? {},
      status: reply.raw.headersSent ? reply.raw.statusCode : undefined,
    })
  })
}

const refusedForSafety = new Set(['csrf_required', 'cross_site_basic', 'cross_site_refused', 'host_refused'])

/** Wrong passwords and blocks are not written here: the sign-in writes its own lines. */
export function auditRefusal(request: FastifyRequest, refusal: Extract<Verdict, { pass: false }>, audit: Audit, client: string): void {
  const { error, sessionOf } = refusal
  if (!refusedForSafety.has(error.code)) return
  const how = sessionOf === undefined ? 'none' : 'session'
  audit.requestRefused({ code: error.code, by: sessionOf, how, client, ...routeOf(request) })
}

export function describeIdentity(identity: Identity): Pick<AuditedRequest, 'by' | 'how'> {
  return identity.kind === 'nobody' ? { by: undefined, how: 'none' } : { by: identity.username, how: identity.kind }
}

const routeOf = ({ method, routeOptions }: FastifyRequest): Pick<AuditedRequest, 'method' | 'route'> => ({
  method,
  route: routeOptions.url,
})
