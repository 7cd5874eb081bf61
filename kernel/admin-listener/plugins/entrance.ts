/** The steps that every request passes before its route, in the order in which plugins add them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { AdminAuth } from '../../auth/admin-auth.ts'
import { type RequestPath, readRequestPath } from '../../http/request-path.ts'
import type { RouteAccess, RouteAccessRules } from '../../http/route-access.ts'

interface EnteringRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly path: RequestPath
  readonly access: RouteAccess
  readonly clientIp: string
  /** The client connected over https, here or at a trusted proxy. */
  readonly isSecure: boolean
}

type WhenAdmitted = (() => void) | undefined

/** Throws to refuse the request. A returned function runs after the last step. */
type EntranceStep = (entering: EnteringRequest) => Promise<WhenAdmitted> | WhenAdmitted

interface EntranceOptions {
  readonly rules: RouteAccessRules
  readonly resolveOrigin: AdminAuth['resolveOrigin']
}

interface Entrance {
  readonly steps: EntranceStep[]
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

const decoration = 'svcEntrance'

const entranceOf = (app: FastifyInstance): Entrance => app.getDecorator<Entrance>(decoration)

export const addStep = (app: FastifyInstance, step: EntranceStep): void => void entranceOf(app).steps.push(step)

/** Runs all steps, also for a request whose URL the router refused before any hook ran. */
export const enter = (app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<void> =>
  entranceOf(app).enter(request, reply)

export const entrance = fp(
  async (app: FastifyInstance, { rules, resolveOrigin }: EntranceOptions) => {
    const steps: EntranceStep[] = []
    const runSteps = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const path = readRequestPath(request.raw.url ?? '')
      const { clientIp, scheme } = resolveOrigin(request.raw)
      const entering = { request, reply, path, access: rules.accessOf(request, path), clientIp, isSecure: scheme === 'https' }
      const whenAdmitted: WhenAdmitted[] = []
      for (const step of steps) whenAdmitted.push(await step(entering))
      // I-35: the client left during a step, and the audit line is written already, or can no longer be: the route must not run.
      if (reply.raw.destroyed || request.raw.socket.destroyed) reply.hijack()
      for (const run of whenAdmitted) run?.()
    }
    app.decorate(decoration, { steps, enter: runSteps } satisfies Entrance)
    app.addHook('onRequest', runSteps)
  },
  { name: 'svc.entrance' },
)
