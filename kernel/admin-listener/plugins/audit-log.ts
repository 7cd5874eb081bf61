import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Audit } from '../../auth/audit.ts'
import { auditChange, describeIdentity } from '../audit-request.ts'
import { requestIdentity } from '../identity.ts'
import { addStep } from './entrance.ts'

/** Audits authenticated requests, also those that a route guard then refuses. */
export const auditLog = fp(
  async (app: FastifyInstance, { audit }: { readonly audit: Audit }) => {
    addStep(app, ({ request, reply, access, clientIp }) => {
      // Open routes have no operator; the sign-in routes write their own lines.
      if (access === 'open' || request.is404) return undefined
      auditChange(request, reply, audit, { ...describeIdentity(requestIdentity(request)), client: clientIp })
      return undefined
    })
  },
  { name: 'svc.audit-log', dependencies: ['svc.authentication'] },
)
