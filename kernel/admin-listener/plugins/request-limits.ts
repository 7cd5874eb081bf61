import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { startDeadline } from '../deadline.ts'
import { limitDrain } from '../refused-body.ts'
import { addStep } from './entrance.ts'

/** Limits of every request: bytes read after the answer, and time. */
export const requestLimits = fp(
  async (app: FastifyInstance) => {
    addStep(app, ({ request, reply }) => {
      limitDrain(request.raw, reply.raw)
      // A route's own deadline counts only for admitted requests.
      return startDeadline(request, reply)
    })
  },
  { name: 'svc.request-limits', dependencies: ['svc.entrance'] },
)
