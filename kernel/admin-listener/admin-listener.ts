/** The server of the dashboard and the Admin API. */

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { AdminAuth } from '../auth/admin-auth.ts'
import type { adminSection } from '../auth/admin-settings.ts'
import { registerLogin, registerSessionRoutes } from '../auth/auth-routes.ts'
import { createProxyCheck } from '../auth/trusted-proxy.ts'
import { listenError, readListenAddress, urlOf } from '../config/listen-address.ts'
import type { SettingValues } from '../config/section.ts'
import type { Mode } from '../core/mode.ts'
import type { Resolved, Uses } from '../core/service.ts'
import { kernelErrors } from '../errors.ts'
import { Connections } from '../http/connections/connections.ts'
import type { RunningListener } from '../http/listeners.ts'
import { RouteAccessRules } from '../http/route-access.ts'
import type { RouteGroup } from '../http/routes.ts'
import type { Log } from '../log/log.ts'
import { limits } from '../process/limits.ts'
import { adminLimits } from './admin-limits.ts'
import { answerBrokenRequest } from './broken-request.ts'
import { type HealthSources, registerHealth } from './health-route.ts'
import { auditLog } from './plugins/audit-log.ts'
import { authentication } from './plugins/authentication.ts'
import { enter, entrance } from './plugins/entrance.ts'
import { createErrorAnswer, errorReplies } from './plugins/error-replies.ts'
import { requestLimits } from './plugins/request-limits.ts'
import { responseHeaders } from './plugins/response-headers.ts'
import { type BoundRouteGuard, routeGuards } from './plugins/route-guards.ts'
import { unknownAddresses } from './plugins/unknown-addresses.ts'
import { unreadBodies } from './plugins/unread-bodies.ts'

export interface AdminListenerOptions {
  readonly mode: Mode
  readonly settings: Pick<SettingValues<typeof adminSection.keys>, 'addr' | 'trusted_proxies'>
  readonly auth: AdminAuth
  readonly routes: readonly AnsweredGroup[]
  /** Default: none. */
  readonly guards?: readonly BoundRouteGuard[]
  readonly health: HealthSources
  readonly log: Log
  /** How long a stop waits for running requests. Default: `limits.stopMs`. */
  readonly stopMs?: number
}

export interface AnsweredGroup {
  readonly group: RouteGroup
  readonly services: Resolved<Uses>
  /** `serve`, or the error code of every route of the group. */
  readonly answer: 'serve' | 'setup_mode' | 'plugin_disabled'
}

export interface AdminListener extends RunningListener {
  /** Handles a request without a socket. For tests. */
  readonly inject: FastifyInstance['inject']
}

/** Longest part of a path, such as an access key or a number of 78 digits. */
const pathPartCharsMax = 512
/** Poll intervals for slow headers and, during a stop, for idle connections. */
const connectionLookMs = 1000
const stopLookMs = 50

export async function startAdminListener(options: AdminListenerOptions): Promise<AdminListener> {
  const { addr } = options.settings
  if (!options.auth.enabled) {
    options.log.warn('authentication is off: every program on this machine has full access to the Admin API; set admin.auth.enabled = true')
  }
  const app = buildApp(options)
  const silent = trackSilentConnections(app)
  try {
    await app.ready()
    const url = await listen(app, addr)
    return { url, inject: app.inject.bind(app), stop: () => stop(app, silent, options) }
  } catch (error) {
    await app.close()
    throw error
  }
}

async function listen(app: FastifyInstance, addr: string): Promise<string> {
  const { host, port } = readListenAddress(addr)
  try {
    await app.listen({ host, port })
  } catch (cause) {
    throw listenError(cause, addr, 'admin.addr')
  }
  return urlOf(host, (app.server.address() as AddressInfo).port)
}

function buildApp(options: AdminListenerOptions): FastifyInstance {
  const { auth, log, guards = [] } = options
  const rules = new RouteAccessRules()
  const answerError = createErrorAnswer(log)
  const connections = guardConnections(options)
  const app = fastify({
    serverFactory(handle) {
      const server = createServer({
        keepAliveTimeout: adminLimits.adminIdleMs,
        headersTimeout: adminLimits.adminHeadMs,
        connectionsCheckingInterval: connectionLookMs,
        requestTimeout: 0,
        requireHostHeader: false,
      })
      connections.serve(server, (request, response) => {
        if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
        handle(request, response)
      })
      return server
    },
    routerOptions: { maxParamLength: pathPartCharsMax },
    schemaController: noRouteSchemas,
    // Requests on open connections are answered normally during a stop, then the connection ends.
    return503OnClosing: false,
    // The connections answer.
    clientErrorHandler: () => {},
    // The router refused the URL before any hook ran, so the entrance checks run here.
    frameworkErrors: (error, request, reply) => {
      enter(app, request, reply).then(
        () => answerError(error, request, reply),
        (refusal: unknown) => answerError(refusal, request, reply),
      )
    },
  })
  // What all routes share. Each plugin names those that must come before it.
  app.register(entrance, { rules, resolveOrigin: auth.resolveOrigin })
  app.register(responseHeaders, { rules })
  app.register(requestLimits)
  app.register(authentication, { auth, onAuthenticated: ({ socket }) => connections.of(socket)?.trust() })
  app.register(auditLog, { audit: auth.audit })
  app.register(routeGuards, { guards })
  app.register(errorReplies, { answerError })
  app.register(unreadBodies)
  app.register(unknownAddresses, { rules })
  rules.register(app, 'open', (scope) => registerHealth(scope, options.mode, options.health, log))
  if (auth.enabled) {
    rules.register(app, 'open', (scope) => registerLogin(scope, auth))
    rules.register(app, 'session', (scope) => registerSessionRoutes(scope, auth, rules))
  }
  for (const answered of options.routes) rules.register(app, answered.group.access, (scope) => registerGroup(scope, answered))
  return app
}

function guardConnections({ settings, log }: AdminListenerOptions): Connections {
  return new Connections({
    max: adminLimits.adminConnectionsMax,
    perClientMax: adminLimits.adminConnectionsPerClientMax,
    isExempt: createProxyCheck(settings.trusted_proxies),
    stallMs: adminLimits.adminIdleMs,
    answerBroken: answerBrokenRequest,
    onCut: (cut) =>
      log.warn('connections to the Admin listener were ended: one client has too many; a proxy must be in admin.trusted_proxies', {
        ...cut,
        limit: adminLimits.adminConnectionsPerClientMax,
      }),
  })
}

function registerGroup(scope: FastifyInstance, { group, services, answer }: AnsweredGroup): void {
  if (answer !== 'serve') {
    // Runs before the group's own hooks, which would use missing services.
    scope.addHook('onRequest', async () => {
      throw kernelErrors[answer]()
    })
  }
  try {
    group.register(scope, services)
  } catch (cause) {
    throw new Error(`the routes '${group.name}' cannot be registered: ${(cause as Error).message}`, { cause })
  }
}

/** No new connections; running requests may finish within the limit, then they are aborted. Streams end in a `preClose` hook of their route. */
async function stop(
  app: FastifyInstance,
  silent: ReadonlySet<Socket>,
  { stopMs = limits.stopMs, log }: AdminListenerOptions,
): Promise<void> {
  // Connections become idle when their last request ends, so poll.
  const closeIdle = setInterval(() => {
    app.server.closeIdleConnections()
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
  }, stopLookMs)
  const cut = setTimeout(() => {
    log.warn('requests were cut because the service stops', { afterMs: stopMs })
    app.server.closeAllConnections()
  }, stopMs)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(closeIdle)
  }
}

/** Connections that have sent nothing, such as preconnects of browsers. Node does not count them as idle, so a stop would wait for them. */
function trackSilentConnections({ server }: FastifyInstance): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket))
  return silent
}

function refuseSchema(): never {
  throw new Error('a route must not have a `schema`: check its input with parseBody, parseQuery and parseParams')
}

/** Keeps fastify from loading its JSON Schema compilers, which take longer to load than fastify itself. */
const noRouteSchemas = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
} as const satisfies FastifyServerOptions['schemaController']
