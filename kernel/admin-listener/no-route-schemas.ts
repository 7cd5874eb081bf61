import type { FastifyServerOptions } from 'fastify'

function refuse(): never {
  throw new Error('a route must not have a `schema`: check its input with parseBody, parseQuery and parseParams')
}

/** Keeps fastify from loading its JSON Schema compilers, which take longer to load than fastify itself. */
export const noRouteSchemas = {
  compilersFactory: { buildValidator: refuse, buildSerializer: refuse },
} as const satisfies FastifyServerOptions['schemaController']
