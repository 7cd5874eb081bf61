import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Identity } from '../auth/guard.ts'

const identities = new WeakMap<IncomingMessage, Identity>()

export function admitIdentity(request: FastifyRequest, identity: Identity): void {
  identities.set(request.raw, identity)
}

/** The authenticated identity of a request to the Admin listener. */
export function requestIdentity(request: FastifyRequest): Identity {
  return identities.get(request.raw) ?? { kind: 'anonymous' }
}
