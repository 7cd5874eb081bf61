import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  clock,
  defineListener,
  type Log,
  log,
  noRouteSchemas,
  type RunningListener,
  readListenAddress,
  shareConnections,
  urlOf,
} from '#kernel'
import { limits } from '#kernel/system'
import { buckets, objects, uploads, versions } from '#plugins/storage'
import { accessLists } from '../access/access-lists.ts'
import { bucketSettings } from '../bucket-settings/bucket-settings.ts'
import { storageLimits } from '../limits/limits.ts'
import { type ServerSettings, type ServerTlsSettings, s3AccessSection, s3Section, serverSection, serverTlsSection } from '../settings.ts'
import { userDirectory } from '../users/user-directory.ts'
import { createAccessLog } from './access-log.ts'
import { answerClientError } from './client-error.ts'
import { documentMemory } from './document-memory.ts'
import type { ExchangeDeps } from './exchange.ts'
import { inOrder } from './in-order.ts'
import { openConnections } from './open-connections.ts'
import { rawExchange } from './raw-exchange.ts'
import { operationCounts } from './request-metrics.ts'

/** Longer than the usual idle timeout (60 s) of clients and proxies, so that they close first. */
const keepAliveMs = 72_000
/** Deadline of the request headers, from the connection or the first byte of a further request; also of the TLS handshake. */
const headersMs = 10_000
const slowHeadersPollMs = 1000

export const s3Listener = defineListener({
  name: 's3',
  uses: {
    server: serverSection.settings,
    tls: serverTlsSection.settings,
    settings: s3Section.settings,
    accessSettings: s3AccessSection.settings,
    users: userDirectory,
    buckets,
    objects,
    uploads,
    versions,
    bucketSettings,
    accessLists,
    storageLimits,
    clock,
    log,
    operationCounts,
    documentMemory,
    openConnections,
  },
  async start({ server, tls, users, accessSettings, ...services }) {
    const state = { isStopping: false }
    const context: ExchangeDeps = {
      ...services,
      log: services.log.child('s3'),
      accessLog: createAccessLog(accessSettings, services.log),
      findSigner: (accessKey) => users.findSigner(accessKey),
      findOwnerId: (name) => users.findOwnerId(name),
      isStopping: () => state.isStopping,
    }
    const app = buildServer(server, context, await readTls(tls))
    const url = await listen(app, server.port, tls.enabled)
    return { url, stop: () => stop(app, state) } satisfies RunningListener
  },
})

interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
}

async function readTls({ enabled, cert_file, key_file }: ServerTlsSettings): Promise<TlsFiles | undefined> {
  if (!enabled) return undefined
  const [cert, key] = await Promise.all([readFile(cert_file), readFile(key_file)])
  return { cert, key }
}

export function buildServer(server: ServerSettings, context: ExchangeDeps, tls?: TlsFiles): FastifyInstance {
  const handler = rawExchange({ context, requestsMax: server.max_requests })
  const app = Fastify({
    // Not Fastify's handler: it would decode the path and answer in JSON.
    serverFactory: () => openServer(handler, { settings: server, log: context.log, tls }),
    exposeHeadRoutes: false,
    schemaController: noRouteSchemas,
    clientErrorHandler: answerClientError,
    // While stopping, open connections get normal responses with `Connection: close`.
    return503OnClosing: false,
    logger: false,
  })
  context.openConnections.watch(app.server)
  return app
}

interface ServerParts {
  readonly settings: ServerSettings
  readonly log: Log
  readonly tls: TlsFiles | undefined
}

/** Default limit per client: one client cannot take every connection. */
const perClientShare = 1 / 4

/** A member of Node's server that its types omit. */
type HalfOpenServer = Server & { httpAllowHalfOpen?: boolean }

function openServer(handler: RequestListener, { settings, log, tls }: ServerParts): Server {
  // The handler rejects a missing Host with S3 XML.
  const options = {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersMs,
    connectionsCheckingInterval: slowHeadersPollMs,
    requestTimeout: 0,
    requireHostHeader: false,
  }
  const answer = inOrder(handler)
  const server: HalfOpenServer =
    tls === undefined
      ? createServer(options, answer)
      : (createTlsServer({ ...options, ...tls, handshakeTimeout: headersMs }, answer) as Server)
  // A client that has sent its last request may close its side before it reads the responses.
  server.httpAllowHalfOpen = true
  server.maxConnections = settings.max_connections
  const perClientMax = settings.max_connections_per_client || Math.ceil(settings.max_connections * perClientShare)
  shareConnections(server, {
    perClientMax,
    onEnded: (ended) =>
      log.warn('S3 connections closed: one client exceeded server.max_connections_per_client', {
        ...ended,
        limit: perClientMax,
      }),
  })
  // Overrides Node's defaults: 100 before the request is checked, and 417 for unknown expectations.
  server.on('checkContinue', answer)
  server.on('checkExpectation', answer)
  return server
}

/** Resolves with the URL for clients on this machine. Throws an error that names the setting to change. */
async function listen(app: FastifyInstance, address: string, isTls: boolean): Promise<string> {
  const { host, port: wantedPort } = readListenAddress(address)
  try {
    await app.listen({ host, port: wantedPort })
  } catch (cause) {
    await app.close()
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    throw new Error(`the S3 API cannot listen on ${address} (${reason}); change server.port, or stop the program that uses it`, { cause })
  }
  const { port } = app.server.address() as AddressInfo
  const url = urlOf(host, port)
  return isTls ? url.replace('http:', 'https:') : url
}

/** Rejects new connections, waits for running requests within `limits.stopMs`, then closes them. */
async function stop(app: FastifyInstance, state: { isStopping: boolean }): Promise<void> {
  state.isStopping = true
  const cut = setTimeout(() => app.server.closeAllConnections(), limits.stopMs)
  await app.close()
  clearTimeout(cut)
}
