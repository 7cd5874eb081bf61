// Serves pieces: whole, one range, or headers only.
import { createReadStream, openSync } from 'node:fs'
import { Transform } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ProviderContext } from './context.ts'
import { named, type RouteGroup } from './http-server.ts'
import { rootOf } from './piece-names.ts'
import type { StoredPiece } from './piece-store.ts'
import { refusal } from './refusal.ts'

/** Pieces never change. */
const LAST_MODIFIED = 'Thu, 01 Jan 1970 00:00:01 GMT'
const CACHE_CONTROL = 'public, max-age=29030400, immutable'

interface ByteRange {
  readonly start: number
  /** Inclusive. */
  readonly end: number
}

type PieceRequest = FastifyRequest<{ Params: { cid: string } }>

export function retrievalRoutes(context: ProviderContext): RouteGroup {
  return (app) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: '/piece/:cid',
      ...named('retrieve'),
      handler: (request: PieceRequest, reply) => servePiece(context, request, reply),
    })
  }
}

function servePiece(context: ProviderContext, request: PieceRequest, reply: FastifyReply): FastifyReply {
  const { cid } = request.params
  if (rootOf(cid) === undefined) throw refusal(400, 'parsing piece CID: invalid cid')
  const piece = context.pieces.find(cid)
  if (!piece) throw refusal(404, 'piece not found')

  const etag = `"${piece.pieceCid}"`
  reply.headers({
    etag,
    'last-modified': LAST_MODIFIED,
    'cache-control': CACHE_CONTROL,
    'accept-ranges': 'bytes',
    vary: 'Accept-Encoding',
  })
  if (listsTag(request.headers['if-none-match'], etag)) return reply.code(304).send()

  const range = readRange(request.headers.range, piece.size)
  if (range === 'unsatisfiable') {
    throw refusal(416, 'invalid range: failed to overlap', { headers: { 'content-range': `bytes */${piece.size}` } })
  }
  const { start, end } = range ?? { start: 0, end: piece.size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${piece.size}`)
  reply.header('content-length', end - start + 1).type('application/octet-stream')
  if (request.method === 'HEAD') return reply.send()
  return reply.send(openBody(context, request, piece, { start, end }))
}

/** Counts the bytes, and changes them when a fault is placed. */
function openBody(context: ProviderContext, request: PieceRequest, piece: StoredPiece, { start, end }: ByteRange): Transform {
  const isCorrupt = context.faults.take('corrupt_bytes', 'retrieve') !== undefined
  const cut = context.faults.take('cut_bytes', 'retrieve')
  const drip = context.faults.take('drip_bytes', 'retrieve')
  let sent = 0
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isCorrupt && sent === 0) chunk.writeUInt8(chunk.readUInt8(0) ^ 1, 0)
      sent += chunk.length
      context.counters.retrievalBytes += chunk.length
      if (cut && sent > cut.afterBytes) {
        this.push(chunk.subarray(0, Math.max(0, chunk.length - (sent - cut.afterBytes))))
        setImmediate(() => request.raw.socket.destroy())
        return
      }
      done(null, chunk)
    },
  })
  // Opened in the turn that found it: a piece moves when a data set contains it.
  const file = createReadStream('', { fd: openSync(piece.path, 'r'), start, end })
  // A closed connection ends the body early.
  file.on('error', (error) => body.destroy(error))
  body.on('close', () => file.destroy())
  return drip ? dripped(file.pipe(body), drip.everyMs) : file.pipe(body)
}

/** Sends one byte at a time until the connection closes. */
function dripped(body: Transform, everyMs: number): Transform {
  const drip = new Transform({
    async transform(chunk: Buffer, _encoding, done) {
      for (const byte of chunk) {
        if (this.destroyed) return
        this.push(Buffer.of(byte))
        await setTimeout(everyMs)
      }
      done()
    },
  })
  drip.on('close', () => body.destroy())
  return body.pipe(drip)
}

function listsTag(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}

/** Supports one range; the answer to several is the whole piece, as HTTP permits. */
function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (header === undefined || header.includes(',')) return undefined
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (!match || (match[1] === '' && match[2] === '')) return 'unsatisfiable'
  const [, from = '', to = ''] = match
  if (from === '') return Number(to) === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(to)), end: size - 1 }
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return start >= size || end < start ? 'unsatisfiable' : { start, end }
}
