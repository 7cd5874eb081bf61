// Serves a provider's API: named routes, faults before and after the work, counters, Curio's error texts.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { LOOPBACK, PortTakenError } from '../chain/port.ts'
import { type FaultBox, type RouteName, routeNames } from '../faults.ts'
import { Refusal, refusal } from './refusal.ts'
import type { ProviderCounters } from './settings.ts'

/** Limit for JSON bodies; those of the largest addition are far smaller. */
const JSON_BYTES_MAX = 4 * 1024 * 1024
const DRIP_BYTES = 100_000
const DRIP_PAUSE_MS = 100

export type RouteGroup = (app: FastifyInstance) => void

/** Route options with a name, for faults and counters. */
export const named = (routeName: RouteName): { readonly config: object } => ({ config: { routeName } })

/** Returns undefined for an unknown path. */
function routeNameOf(request: FastifyRequest): RouteName | undefined {
  const { config } = request.routeOptions
  return 'routeName' in config ? routeNames.find((name) => name === config.routeName) : undefined
}

export interface ProviderServer {
  /** @throws PortTakenError */
  listen(): Promise<void>
  /** Closes the port and all connections; `listen` opens the port again. */
  close(): Promise<void>
}

interface ServerOptions {
  readonly port: number
  readonly groups: readonly RouteGroup[]
  readonly faults: FaultBox
  readonly counters: ProviderCounters
  readonly log: (line: string) => void
}

export async function createProviderServer(options: ServerOptions): Promise<ProviderServer> {
  const { port, groups, log } = options
  const app = fastify({ exposeHeadRoutes: false, forceCloseConnections: true })
  // Curio ignores content types; handlers read the raw body.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.setNotFoundHandler(() => {
    throw refusal(404, '404 page not found')
  })
  app.setErrorHandler((error, _request, reply) => answerError(error, reply, log))
  placeFaults(app, options)
  for (const group of groups) group(app)
  await app.ready()

  let server: Server | undefined
  return {
    async listen() {
      if (server) return
      server = createServer((request, response) => app.routing(request, response))
      // Allow uploads of a gigabyte over a slow link.
      server.requestTimeout = 0
      await listenOn(server, port)
    },
    async close() {
      if (!server) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      server = undefined
      await closed
    },
  }
}

async function listenOn(server: Server, port: number): Promise<void> {
  server.listen(port, LOOPBACK)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new PortTakenError({ port, purpose: 'a devnet provider' }, { cause })
  }
}

function placeFaults(app: FastifyInstance, { faults, counters }: ServerOptions): void {
  const held = new Set<Socket>()
  faults.subscribe(() => {
    // Requests held by a fault end with the last fault.
    if (faults.list().length > 0) return
    for (const socket of held) socket.destroy()
  })
  const holdOpen = (reply: FastifyReply, socket: Socket): FastifyReply => {
    held.add(socket)
    socket.once('close', () => held.delete(socket))
    return reply.hijack()
  }
  app.addHook('onRequest', async (request, reply) => {
    const route = routeNameOf(request)
    if (!route) return undefined
    counters.requests[route]++
    const late = faults.take('delay', route)
    if (late) await delay(late.delayMs)
    const { socket } = request.raw
    if (faults.take('hang', route)) return holdOpen(reply, socket)
    if (faults.take('switch_protocols', route)) {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      return holdOpen(reply, socket)
    }
    if (faults.take('drip', route)) {
      drip(socket)
      return holdOpen(reply, socket)
    }
    if (faults.take('drop_connection', route)) return dropConnection(request, reply)
    const answer = faults.take('answer', route)
    if (!answer) return undefined
    // Unread bytes of an upload block the answer.
    request.raw.resume()
    throw refusal(answer.status, answer.text ?? 'fault injected', { headers: retryAfter(answer.retryAfterSeconds) })
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const route = routeNameOf(request)
    if (!route || reply.statusCode >= 400) return payload
    if (faults.take('drop_answer', route)) {
      request.raw.socket.destroy()
      return payload
    }
    const failure = faults.take('fail_answer', route)
    if (!failure) return payload
    if (payload instanceof Readable) payload.destroy()
    reply
      .code(failure.status ?? 500)
      .removeHeader('location')
      .removeHeader('content-length')
      .type('text/plain; charset=utf-8')
    return 'fault injected after the work\n'
  })
}

function drip(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${DRIP_BYTES}\r\n\r\n`)
  const timer = setInterval(() => socket.write('x'), DRIP_PAUSE_MS)
  socket.once('close', () => clearInterval(timer))
}

function dropConnection(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack()
  request.raw.socket.destroy()
  return reply
}

const retryAfter = (seconds: number | undefined): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds) }

function answerError(error: unknown, reply: FastifyReply, log: (line: string) => void): FastifyReply {
  reply.type('text/plain; charset=utf-8')
  if (error instanceof Refusal) return reply.code(error.status).headers(error.headers).send(`${error.message}\n`)
  const eid = randomUUID()
  log(`internal error ${eid}: ${error instanceof Error ? error.stack : error}`)
  return reply.code(500).send(`Internal server error [eid: ${eid}]\n`)
}

/** The body as JSON; an empty one is an empty object. @throws Refusal 400 */
export async function readJson(request: FastifyRequest): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.raw) {
    size += chunk.length
    if (size > JSON_BYTES_MAX) throw refusal(413, 'Request body too large')
    chunks.push(chunk)
  }
  if (size === 0) return {}
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (cause) {
    throw refusal(400, `Invalid request body: ${cause}`, { cause })
  }
}
