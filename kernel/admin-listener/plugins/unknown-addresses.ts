import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { kernelErrors } from '../../errors.ts'
import { readRequestPath } from '../../http/request-path.ts'
import type { RouteAccessRules } from '../../http/route-access.ts'
import { AllowedMethods } from '../allowed-methods.ts'

/** Reserves these paths, so that a plugin's wildcard route for dashboard pages never answers them. */
export const apiRoots: readonly string[] = ['/api', '/api/*', '/admin', '/admin/*']

/** 405 where a route has the path with another method, else 404. Registered before all routes, because it notes their methods. */
export const unknownAddresses = fp(
  async (app: FastifyInstance, { rules }: { readonly rules: RouteAccessRules }) => {
    const allowed = new AllowedMethods()
    app.addHook('onRoute', (route) => {
      if (!apiRoots.includes(route.url)) allowed.add(route)
    })
    const refuse = async ({ method, raw }: FastifyRequest, reply: FastifyReply) => {
      const supported = allowed.of(readRequestPath(raw.url ?? '').raw)
      // A path that the router refuses, such as one with a part that is too long, may fit a route that has the method.
      if (supported.length === 0 || supported.includes(method)) throw kernelErrors.not_found()
      const methods = supported.join(', ')
      reply.header('allow', methods)
      throw kernelErrors.method_not_allowed({ message: `This address does not support ${method}; it supports ${methods}.` })
    }
    // A hook answers: the framework refuses some methods without a Content-Type before it calls a handler.
    rules.register(app, 'operator', (scope) => {
      scope.addHook('onRequest', refuse)
      for (const url of apiRoots) scope.all(url, refuse)
    })
    app.addHook('onRequest', async (request, reply) => {
      if (request.is404) await refuse(request, reply)
    })
    app.setNotFoundHandler(refuse)
  },
  // The entrance comes first: without credentials, unknown and unsupported addresses are refused like all others.
  { name: 'svc.unknown-addresses', dependencies: ['svc.authentication', 'svc.error-replies'] },
)
