// One server of the put and get measurement, in a process of its own: `plain` does the least that keeps a body, `storage` is ours.
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import fastify, { type FastifyInstance } from 'fastify'
import { openObjectStorage } from '../plugins/storage/testing/object-storage.ts'

const BODY_BYTES_MAX = 64 * 1024 * 1024
const CACHE_BYTES = 16 * 1024 ** 3
const HEADERS = { contentType: 'binary/octet-stream', system: {}, user: {} }

const open = promisify(fs.open)
const write = promisify(fs.write)
const sync = promisify(fs.fsync)
const close = promisify(fs.close)

/** A handler that writes each body to a file and fsyncs it: no name is made durable, nothing is hashed, no row is written. */
async function servePlain(app: FastifyInstance): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-plain-'))
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.put<{ Params: { key: string }; Body: Buffer }>('/:key', async ({ params, body }) => {
    const file = await open(join(dir, params.key), 'w')
    await write(file, body)
    await sync(file)
    await close(file)
    return ''
  })
  app.get<{ Params: { key: string } }>('/:key', (request, reply) => reply.send(fs.createReadStream(join(dir, request.params.key))))
  return () => rm(dir, { recursive: true })
}

async function serveStorage(app: FastifyInstance): Promise<() => Promise<void>> {
  const storage = await openObjectStorage({ maxBytes: CACHE_BYTES, sizes: { bytesMin: 1, bytesMax: BODY_BYTES_MAX } })
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.put<{ Params: { key: string } }>('/:key', async ({ params, headers, raw }) => {
    await storage.objects.put({ bucket: 'photos', key: params.key, body: raw, size: Number(headers['content-length']), headers: HEADERS })
    return ''
  })
  app.get<{ Params: { key: string } }>('/:key', async ({ params }, reply) => {
    const opened = await storage.objects.open('photos', params.key)
    reply.header('content-length', opened.version.size)
    return reply.send(Readable.from(opened.read(), { objectMode: false }))
  })
  return async () => storage[Symbol.asyncDispose]()
}

const app = fastify({ bodyLimit: BODY_BYTES_MAX })
const cleanUp = await (process.argv[2] === 'plain' ? servePlain(app) : serveStorage(app))
await app.listen({ host: '127.0.0.1', port: 0 })
const address = app.server.address()
process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
process.once('disconnect', async () => {
  await app.close()
  await cleanUp()
})
