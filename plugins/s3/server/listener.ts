/** @walk put 1: opens the S3 listener */

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { clock, log } from '#kernel'
import { Connections, defineListener, readListenAddress, urlOf } from '#kernel/server'
import { limits } from '#kernel/system'
import { buckets, objects, uploads, versions } from '#plugins/storage'
import { accessLists } from '../access/access-lists.ts'
import { bucketSettings } from '../bucket-settings/bucket-settings.ts'
import { lifecycleRules } from '../contract.ts'
import { storageLimits } from '../limits/limits.ts'
import { type ServerSettings, type ServerTlsSettings, s3AccessSection, s3Section, serverSection, serverTlsSection } from '../settings.ts'
import { userDirectory } from '../users/user-directory.ts'
import { createAccessLog } from './access-log.ts'
import { Admission } from './admission.ts'
import { answerClientError } from './client-error.ts'
import { documentMemory } from './document-memory.ts'
import type { ExchangeDeps } from './exchange.ts'
import { type OpenConnections, openConnections } from './open-connections.ts'
import { rawExchange } from './raw-exchange.ts'
import { type RequestLimits, requestLimits } from './request-limits.ts'
import { operationCounts } from './request-metrics.ts'

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
    lifecycleRules,
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
      noteUse: (accessKey) => users.noteUse(accessKey),
      findOwnerId: (name) => users.findOwnerId(name),
      limits: requestLimits,
      isStopping: () => state.isStopping,
    }
    const httpServer = buildServer(server, context, await readTls(tls))
    const url = await listen(httpServer, server.port, tls.enabled)
    return { url, stop: () => stop(httpServer, state, services.openConnections) }
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

/** A server that does not listen yet. */
export function buildServer(settings: ServerSettings, context: ExchangeDeps, tls?: TlsFiles): Server {
  const { limits } = context
  const perClientMax = settings.max_connections_per_client || Math.ceil(settings.max_connections * perClientShare)
  const connections = new Connections({
    max: settings.max_connections,
    perClientMax,
    stallMs: context.settings.body_idle_timeout,
    answerBroken: answerClientError,
    onCut: (cut) =>
      context.log.warn('S3 connections closed: one client exceeded server.max_connections_per_client', { ...cut, limit: perClientMax }),
  })
  const clientShare = Math.min(1, perClientMax / settings.max_connections)
  const requestShare = Math.max(limits.requestsPerClientPercent / 100, clientShare)
  const admission = new Admission({
    requestsMax: settings.max_requests,
    perClientMax: Math.ceil(settings.max_requests * requestShare),
    clientShare,
    limits,
  })
  const server = openServer(limits, tls)
  connections.serve(server, rawExchange(context, admission))
  context.openConnections.follow(connections)
  return server
}

/** Default limit per client: one client cannot take every connection. */
const perClientShare = 1 / 4

/** A member of Node's server that its types omit. */
type HalfOpenServer = Server & { httpAllowHalfOpen?: boolean }

function openServer({ headMs, idleConnectionMs }: RequestLimits, tls: TlsFiles | undefined): Server {
  const options = {
    keepAliveTimeout: idleConnectionMs,
    headersTimeout: headMs,
    connectionsCheckingInterval: slowHeadersPollMs,
    // Bodies have a minimum rate instead.
    requestTimeout: 0,
    // The handler rejects a missing Host with S3 XML.
    requireHostHeader: false,
  }
  const server: HalfOpenServer =
    tls === undefined ? createServer(options) : (createTlsServer({ ...options, ...tls, handshakeTimeout: headMs }) as Server)
  // A client that has sent its last request may close its side before it reads the responses.
  server.httpAllowHalfOpen = true
  return server
}

/** Resolves with the URL for clients on this machine. Throws an error that names the setting to change. */
async function listen(server: Server, address: string, isTls: boolean): Promise<string> {
  const { host, port: wantedPort } = readListenAddress(address)
  try {
    server.listen({ host, port: wantedPort })
    await once(server, 'listening')
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    throw new Error(`the S3 API cannot listen on ${address} (${reason}); change server.port, or stop the program that uses it`, { cause })
  }
  const { port } = server.address() as AddressInfo
  const url = urlOf(host, port)
  return isTls ? url.replace('http:', 'https:') : url
}

/** Rejects new connections, waits for running requests within `limits.stopMs`, then closes them. */
async function stop(server: Server, state: { isStopping: boolean }, connections: OpenConnections): Promise<void> {
  state.isStopping = true
  const cut = setTimeout(() => server.closeAllConnections(), limits.stopMs)
  const { promise, resolve } = Promise.withResolvers<void>()
  // Running requests are answered with `Connection: close`.
  server.close(() => resolve())
  connections.stop()
  await promise
  clearTimeout(cut)
}
