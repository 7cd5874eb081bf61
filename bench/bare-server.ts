// A yardstick for puts and gets, in a process of its own: the least a handler of its kind can do. It keeps no names, hashes nothing, asks nobody.
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

/** Each body becomes a file, and the file alone is made durable, not its name. */
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

/** Gets the bytes put last, whatever the name. */
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

/** Bodies of any size flow to a file that is then made durable, and back. */
async function listenFileStreams(dir: string): Promise<Server> {
  const sizes = new Map<string, number>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = join(dir, basename(request.url ?? ''))
    if (request.method === 'PUT') {
      await pipeline(request, fs.createWriteStream(path, { flush: true }))
      sizes.set(path, Number(request.headers['content-length']))
      response.writeHead(200, { 'content-length': 0 }).end()
    } else {
      response.writeHead(200, { 'content-length': sizes.get(path) })
      fs.createReadStream(path).pipe(response)
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
if (listen === undefined) throw new RangeError(`there is no bare server called ${kind}`)
const server = await listen(dir)
process.send?.({ port: (server.address() as AddressInfo).port })
process.once('disconnect', () => process.exit())
