/** The server of the dashboard and the Admin API. */
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type AdminAuth, createAdminAuth } from '../auth/admin-auth.ts'
import { type Audit, createAudit } from '../auth/audit.ts'
import { registerLogin, registerSessionRoutes } from '../auth/auth-routes.ts'
import { judge } from '../auth/guard.ts'
import { clearSessionCookie } from '../auth/session-cookie.ts'
import { createProxyCheck } from '../auth/trusted-proxy.ts'
import type { Clock } from '../clock.ts'
import { listenError, readListenAddress, urlOf } from '../config/listen-address.ts'
import type { SettingValues } from '../config/section.ts'
import { kernelErrors } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import type { Mode } from '../mode.ts'
import type { adminAuthSection, adminSection } from '../settings.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { explainAmbiguousHead } from './ambiguous-head.ts'
import { auditChange, auditRefusal, describeIdentity } from './audit-request.ts'
import { answerBrokenRequest } from './broken-request.ts'
import { shareConnections } from './connection-share.ts'
import { deadlines, startDeadline } from './deadline.ts'
import { replyToError } from './error-reply.ts'
import { type HealthSources, registerHealth } from './health-route.ts'
import { admitIdentity } from './identity.ts'
import type { RunningListener } from './listeners.ts'
import { noRouteSchemas } from './no-route-schemas.ts'
import { limitDrain } from './refused-body.ts'
import { readRequestPath } from './request-path.ts'
import { RouteAccessRules } from './route-access.ts'
import type { RouteGroup } from './routes.ts'
import { securityHeaders } from './security-headers.ts'

export interface AdminListenerOptions {
  readonly mode: Mode
  readonly settings: SettingValues<typeof adminSection.keys>
  readonly auth: SettingValues<typeof adminAuthSection.keys>
  readonly routes: readonly AnsweredGroup[]
  readonly health: HealthSources
  readonly clock: Clock
  readonly log: Log
  /** How long a stop waits for running requests. Default: `limits.stopMs`. */
  readonly stopMs?: number
}

export interface AnsweredGroup {
  readonly group: RouteGroup
  readonly services: unknown
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
const connectionsMax = 1024
/** Browsers open a handful; scripts may run in parallel. */
const connectionsPerClientMax = 256

export async function startAdminListener(options: AdminListenerOptions): Promise<AdminListener> {
  const { addr } = options.settings
  if (!options.auth.enabled) {
    options.log.warn('authentication is off: every program on this machine has full access to the Admin API; set admin.auth.enabled = true')
  }
  const app = buildApp(options)
  app.server.maxConnections = connectionsMax
  shareConnections(app.server, {
    perClientMax: connectionsPerClientMax,
    isExempt: createProxyCheck(options.settings.trusted_proxies),
    onEnded: (ended) =>
      options.log.warn('connections to the Admin listener were ended: one client has too many; a proxy must be in admin.trusted_proxies', {
        ...ended,
        limit: connectionsPerClientMax,
      }),
  })
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
  // Otherwise Node itself answers unknown expectations, without our headers.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return urlOf(host, (app.server.address() as AddressInfo).port)
}

function buildApp(options: AdminListenerOptions): FastifyInstance {
  const { auth, settings, clock } = options
  const audit = createAudit(options.log)
  const adminAuth = createAdminAuth({ auth, trustedProxies: settings.trusted_proxies, clock, audit })
  const rules = new RouteAccessRules()
  const enter = createEntrance(adminAuth, rules, audit)
  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const path = readRequestPath(request.raw.url ?? '').raw
    const { status, retryAfterSeconds, body } = replyToError(error, { method: request.method, path, log: options.log })
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    return reply.code(status).type('application/json').send(body)
  }
  const app = fastify({
    keepAliveTimeout: deadlines.idleMs,
    http: { headersTimeout: deadlines.headersMs, connectionsCheckingInterval: connectionLookMs, requireHostHeader: false },
    routerOptions: { maxParamLength: pathPartCharsMax },
    schemaController: noRouteSchemas,
    // During a stop, requests on open connections are answered normally, then the connection ends.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    // The router refused the URL before any hook ran, so the entrance checks run here.
    frameworkErrors: (error, request, reply) => {
      enter(request, reply).then(
        () => answerError(error, request, reply),
        (refusal: unknown) => answerError(refusal, request, reply),
      )
    },
  })
  app.addHook('onRequest', enter)
  const allowed = new AllowedMethods()
  app.addHook('onRoute', (route) => {
    if (!apiRoots.includes(route.url)) allowed.add(route)
  })
  app.setErrorHandler(answerError)
  leaveBodiesAlone(app)
  rules.register(app, 'open', (scope) => registerHealth(scope, options.mode, options.health, options.log))
  if (auth.enabled) {
    rules.register(app, 'open', (scope) => registerLogin(scope, adminAuth))
    rules.register(app, 'session', (scope) => registerSessionRoutes(scope, adminAuth))
  }
  for (const answered of options.routes) rules.register(app, answered.group.access, (scope) => registerGroup(scope, answered))
  registerNotFound(app, rules, allowed)
  return app
}

/** The first hook of every request: response headers, deadline, guard. */
function createEntrance(auth: AdminAuth, rules: RouteAccessRules, audit: Audit) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { raw } = request
    const path = readRequestPath(raw.url ?? '')
    const access = rules.accessOf(request, path)
    const { clientIp, scheme } = auth.resolveOrigin(raw)
    const mayBeCached = access === 'open' && !rules.isBelowGuardedRoot(path)
    // On the raw response, so that they survive error replies and routes that write the response themselves.
    for (const [name, value] of securityHeaders({ isSecure: scheme === 'https', mayBeCached })) reply.raw.setHeader(name, value)
    limitDrain(raw, reply.raw)
    const grantOwnDeadline = startDeadline(request, reply)
    const ambiguity = explainAmbiguousHead(raw)
    if (ambiguity !== undefined) throw kernelErrors.invalid_request({ message: ambiguity })
    const verdict = await judge({ raw, method: request.method, access }, auth)
    if (!verdict.pass) {
      auditRefusal(request, verdict, audit, clientIp)
      if (verdict.clearCookie) reply.header('set-cookie', clearSessionCookie(scheme === 'https'))
      throw verdict.error
    }
    admitIdentity(request, verdict.identity)
    // Open routes have no operator; the sign-in routes write their own lines.
    if (access !== 'open' && !request.is404) auditChange(request, reply, audit, { ...describeIdentity(verdict.identity), client: clientIp })
    grantOwnDeadline()
  }
}

/**
 * Bodies of any media type reach the handlers unread: `parseBody` reads JSON, an upload route reads `request.raw`.
 * The Content-Type header is hidden while fastify selects a parser, because fastify refuses unknown media types.
 */
function leaveBodiesAlone(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  const mediaTypes = new WeakMap<FastifyRequest, string>()
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const mediaType = request.raw.headers['content-type']
    if (mediaType !== undefined) mediaTypes.set(request, mediaType)
    delete request.raw.headers['content-type']
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const mediaType = mediaTypes.get(request)
    if (mediaType !== undefined) request.raw.headers['content-type'] = mediaType
    done()
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
    group.register(scope, services as never)
  } catch (cause) {
    throw new Error(`the routes '${group.name}' cannot be registered: ${(cause as Error).message}`, { cause })
  }
}

/** Reserves these paths, so that a plugin's wildcard route for dashboard pages never answers them. */
const apiRoots: readonly string[] = ['/api', '/api/*', '/admin', '/admin/*']

/** 405 where a route has the path with another method, else 404. */
function registerNotFound(app: FastifyInstance, rules: RouteAccessRules, allowed: AllowedMethods): void {
  const refuse = async ({ method, raw }: FastifyRequest, reply: FastifyReply) => {
    const supported = allowed.of(readRequestPath(raw.url ?? '').raw)
    // A path that the router refuses, such as one with a part that is too long, may fit a route that has the method.
    if (supported.length === 0 || supported.includes(method)) throw kernelErrors.not_found()
    const methods = supported.join(', ')
    reply.header('allow', methods)
    throw kernelErrors.method_not_allowed({ message: `This address does not support ${method}; it supports ${methods}.` })
  }
  // In a hook: the framework refuses some methods without a Content-Type before it calls a handler.
  rules.register(app, 'operator', (scope) => {
    scope.addHook('onRequest', refuse)
    for (const url of apiRoots) scope.all(url, refuse)
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) await refuse(request, reply)
  })
  app.setNotFoundHandler(refuse)
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
