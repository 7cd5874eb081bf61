import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { RouteAccessRules } from '../../http/route-access.ts'
import { securityHeaders } from '../security-headers.ts'
import { addStep } from './entrance.ts'

/** Security headers of every answer. */
export const responseHeaders = fp(
  async (app: FastifyInstance, { rules }: { readonly rules: RouteAccessRules }) => {
    addStep(app, ({ reply, path, access, isSecure }) => {
      const mayBeCached = access === 'open' && !rules.isBelowGuardedRoot(path)
      // Sets them on the raw response, so that they survive error replies and routes that write the response themselves.
      for (const [name, value] of securityHeaders({ isSecure, mayBeCached })) reply.raw.setHeader(name, value)
      return undefined
    })
  },
  { name: 'svc.response-headers', dependencies: ['svc.entrance'] },
)
