// Baseline servers for puts and gets, each in its own process: minimal handlers without metadata, hashing or authentication.
import fs from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import fastify from 'fastify'

const bodyBytesMax = 1024 * 1024
const open = promisify(fs.open)
const write = promisify(fs.write)
const sync = promisify(fs.fsync)
const close = promisify(fs.close)

interface ObjectRoute {
  Params: { bucket: string; key: string }
  Body: Buffer
}

function bareFastify() {
  const app = fastify({ bodyLimit: bodyBytesMax })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return app
}

/** Writes each body to a file and syncs the file, not its directory. */
async function listenSyncedFiles(dir: string): Promise<Server> {
  const app = bareFastify()
  app.put<ObjectRoute>('/:bucket/:key', async ({ params, body }) => {
    const file = await open(join(dir, params.key), 'w')
    await write(file, body)
    await sync(file)
    await close(file)
    return ''
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.server
}

/** Every GET returns the body of the latest PUT. */
async function listenBuffer(): Promise<Server> {
  const app = bareFastify()
  let kept: Buffer = Buffer.alloc(0)
  app.put<ObjectRoute>('/:bucket/:key', async ({ body }) => {
    kept = body
    return ''
  })
  app.get<ObjectRoute>('/:bucket/:key', async () => kept)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.server
}

/** Streams bodies of any size to a synced file, and back. */
async function listenFileStreams(dir: string): Promise<Server> {
  const sizes = new Map<string, number>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = join(dir, basename(request.url ?? ''))
    if (request.method === 'PUT') {
      await pipeline(request, fs.createWriteStream(path, { flush: true }))
      sizes.set(path, Number(request.headers['content-length']))
      response.writeHead(200, { 'content-length': 0 }).end()
    } else {
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
      const place = range ? { start: Number(range[1]), end: Number(range[2]) } : { start: 0, end: (sizes.get(path) ?? 0) - 1 }
      response.writeHead(range ? 206 : 200, { 'content-length': place.end - place.start + 1 })
      fs.createReadStream(path, place).pipe(response)
    }
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const [kind, dir = ''] = process.argv.slice(2)
const listeners: Readonly<Record<string, (dir: string) => Promise<Server>>> = {
  'synced-files': listenSyncedFiles,
  buffer: listenBuffer,
  'file-streams': listenFileStreams,
}
const listen = listeners[kind ?? '']
if (listen === undefined) throw new RangeError(`unknown bare server: ${kind}`)
const server = await listen(dir)
process.send?.({ port: (server.address() as AddressInfo).port })
process.once('disconnect', () => process.exit())
