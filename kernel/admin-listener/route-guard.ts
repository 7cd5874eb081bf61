/**
 * @recipe a guard of routes
 * Declare `defineRouteGuard({ name, uses, check })`, contributed through `routeGuards.load(…)`: it runs after authentication for every
 * request to the Admin listener and refuses by throwing an error from `errors.ts`. A change whose repeat must be answered although the guard
 * refuses it, as after a lost answer, has `isRepeat` in its `serveEndpoint`: the guard returns the error instead of throwing it. What all routes share is a Fastify plugin in
 * `kernel/http/plugins/`, registered in `admin-listener.ts`.
 */
import type { Identity } from '../auth/guard.ts'
import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Resolved, Uses } from '../core/service.ts'
import type { SvcError } from '../errors.ts'
import type { RouteAccess } from '../http/route-access.ts'

/** An authenticated request to the Admin listener, before its route. */
export interface GuardedRoute {
  readonly identity: Identity
  /** Declared by the group of the route. */
  readonly access: RouteAccess
  readonly method: string
  /** Sent by the client, without the query. */
  readonly path: string
  /** Pattern such as `/api/v1/tasks/:id/retry`; undefined when no route has the path. */
  readonly route: string | undefined
  /** Value of a header, by its lower-case name. Throws `invalid_request` when it was sent more than once. */
  header(name: string): string | undefined
}

/** May refuse requests that authentication has admitted, also to open routes such as `/healthz`. Runs in full mode. */
export interface RouteGuard<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Throws an SvcError to refuse, or returns one that exact repeats of recorded requests pass. Any other error refuses the request too, is logged, and answers 500. Within the deadline of requests. */
  check(request: GuardedRoute, services: Resolved<U>): Promise<SvcError | undefined> | SvcError | undefined
}

export const routeGuards = defineExtensionPoint<RouteGuard>('http.route-guards')

export const defineRouteGuard = <const U extends Uses>(spec: RouteGuard<U>): RouteGuard => spec
