/**
 * @recipe a route
 * Write a group in `<noun>/<noun>-routes.ts` with `defineRoutes({ name, uses, register })`, contributed through `adminRoutes.load(async ()
 * => (await import('./<noun>/<noun>-routes.ts')).<noun>Routes)`. A group requires operator credentials unless it declares `access: 'open'`
 * or `'session'`. Declare each endpoint with `defineEndpoint`, which checks its input, and register it with `serveEndpoint`. One that
 * changes something has a `role`, and lists in `audit` the members that identify the changed resource; a POST that changes nothing has
 * `isLook`. Refuse with errors from the plugin's `errors.ts`.
 */
import type { FastifyInstance } from 'fastify'
import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Mode } from '../core/mode.ts'
import type { Resolved, Uses } from '../core/service.ts'
import type { Endpoint } from './endpoint.ts'
import type { RouteAccess } from './route-access.ts'

/** Routes of the Admin listener with the same services and access. */
export interface RouteGroup {
  readonly name: string
  readonly modes: readonly Mode[]
  readonly access: RouteAccess
  readonly uses: Uses
  /** Endpoints for the API documentation. */
  readonly endpoints?: readonly Endpoint[]
  register(app: FastifyInstance, services: Resolved<Uses>): void
}

export function defineRoutes<const U extends Uses>(spec: {
  readonly name: string
  /** Default: full mode only; in setup mode these addresses answer 503 `setup_mode`. A group for setup mode may use kernel services only. */
  readonly modes?: readonly Mode[]
  /** Default: `operator`. `session` excludes HTTP Basic; `open` needs no credentials. Applies to every route of the group. */
  readonly access?: RouteAccess
  readonly uses: U
  readonly endpoints?: readonly Endpoint[]
  register(app: FastifyInstance, services: Resolved<U>): void
}): RouteGroup {
  return { modes: ['full'], access: 'operator', ...spec } as RouteGroup
}

export const adminRoutes = defineExtensionPoint<RouteGroup>('http.admin-routes')
