/** A refusal of a guard that an exact repeat of a recorded request passes: only its endpoint can tell, from the body. */
import type { FastifyRequest } from 'fastify'
import type { SvcError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint recognises repeats, so it decides about a kept refusal. */
    readonly knowsRepeats?: boolean
  }
}

const refusals = new WeakMap<FastifyRequest, SvcError>()

/** Throws the refusal, unless the endpoint of the request recognises repeats. */
export function refuseUnlessRepeat(request: FastifyRequest, refusal: SvcError): void {
  if (request.routeOptions.config.knowsRepeats !== true) throw refusal
  refusals.set(request, refusal)
}

export const keptRefusal = (request: FastifyRequest): SvcError | undefined => refusals.get(request)
