import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { RequestPath } from './request-path.ts'
import { mayAct, neededRole, type Role } from './role-policy.ts'

/** Who may use a route: an operator (session or HTTP Basic), an operator with a browser session, or anyone without authentication. */
export type RouteAccess = 'operator' | 'session' | 'open'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by the group of the route; a route cannot widen it. */
    readonly access?: RouteAccess | undefined
    /** Declared by the endpoint. */
    readonly role?: Role | undefined
  }
}

/** Knows the access and the role of every route of one listener, and from them the access of paths that have no route. */
export class RouteAccessRules {
  /** First path segments of the routes that need credentials. */
  readonly #guardedRoots = new Set<string>()
  /** `POST /api/v1/buckets` → the lowest role that may use it. */
  readonly #roles = new Map<string, Role>()

  /** Registers routes whose access is `access`, whatever their own configuration says. */
  register(app: FastifyInstance, access: RouteAccess | undefined, register: (scope: FastifyInstance) => void): void {
    app.register(async (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, access }
        const root = firstSegment(route.url)
        if (access === 'open') return
        if (isLiteral(root)) this.#guardedRoots.add(root)
        this.#noteRole(route)
      })
      register(scope)
    })
  }

  /**
   * I-34: a route without a declared access is for operators. Paths that only a wildcard or no route answers need credentials where a
   * route with the same first segment does, in every spelling, so that probing paths reveals nothing.
   */
  accessOf({ is404, routeOptions }: Pick<FastifyRequest, 'is404' | 'routeOptions'>, path: RequestPath): RouteAccess {
    if (is404) return this.isBelowGuardedRoot(path) ? 'operator' : 'open'
    const { url = '', config } = routeOptions
    const declared = config.access ?? 'operator'
    return declared === 'open' && url.includes('*') && this.isBelowGuardedRoot(path) ? 'operator' : declared
  }

  #noteRole({ method: methods, url, config }: RouteOptions): void {
    // Others answer for unknown addresses, in all methods.
    if (!url.startsWith('/api/v1/')) return
    for (const method of [methods].flat()) {
      if (method !== 'HEAD') this.#roles.set(`${method} ${url}`, neededRole(config?.role, method !== 'GET'))
    }
  }

  /** The routes of the API that a session with this role may not use. */
  refusedTo(held: Role): readonly string[] {
    return [...this.#roles].flatMap(([route, needed]) => (mayAct(held, needed) ? [] : [route]))
  }

  isBelowGuardedRoot({ spellings }: RequestPath): boolean {
    return spellings.some((path) => this.#guardedRoots.has(firstSegment(path)))
  }
}

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? ''

const isLiteral = (segment: string): boolean => segment !== '' && !/[:*]/.test(segment)
