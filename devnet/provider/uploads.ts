// Routes for uploads, streaming and classic, and for finding stored pieces.
import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type } from '#kernel/schema'
import type { RouteName } from '../faults.ts'
import type { ProviderContext } from './context.ts'
import { named, type RouteGroup, readJson } from './http-server.ts'
import type { UploadRecord } from './ledger.ts'
import { PIECE_BYTES_MAX, PIECE_BYTES_MIN, requirePieceCid, rootOf } from './piece-names.ts'
import { PieceTooLargeError, type ReceivedBytes } from './piece-store.ts'
import { notFound, refusal } from './refusal.ts'

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const pieceBody = type({ pieceCid: 'string', 'notify?': 'string' })

type UploadRequest = FastifyRequest<{ Params: { uuid: string } }>
type PieceRequest = FastifyRequest<{ Params: { cid: string } }>
type FindRequest = FastifyRequest<{ Querystring: { pieceCid?: string } }>

export function uploadRoutes(context: ProviderContext): RouteGroup {
  const { pieces } = context
  return (app) => {
    app.post('/pdp/piece/uploads', named('upload_create'), (_request, reply) => {
      const uuid = openUpload(context, {})
      return reply.code(201).header('location', `/pdp/piece/uploads/${uuid}`).send()
    })
    app.put('/pdp/piece/uploads/:uuid', named('upload_put'), async (request: UploadRequest, reply) => {
      await storeStreamed(context, request)
      return reply.code(204).send()
    })
    app.post('/pdp/piece/uploads/:uuid', named('upload_finalize'), async (request: UploadRequest, reply) => {
      finaliseStreamed(context, request.params.uuid, await readPieceCid(request))
      return reply.code(200).send()
    })
    app.post('/pdp/piece', named('piece_post'), async (request, reply) => {
      const pieceCid = await readPieceCid(request)
      if (pieces.find(pieceCid)) return reply.send({ pieceCid })
      const uuid = openUpload(context, { pieceCid })
      return reply.code(201).header('location', `/pdp/piece/upload/${uuid}`).send()
    })
    app.put('/pdp/piece/upload/:uuid', named('piece_put'), async (request: UploadRequest, reply) => {
      await storeDeclared(context, request)
      return reply.code(204).send()
    })
    app.get('/pdp/piece', named('piece_find'), (request: FindRequest, reply) => {
      const { pieceCid } = request.query
      requirePieceCid(pieceCid, 'Failed to parse CID')
      if (pieceCid === undefined || !pieces.find(pieceCid)) throw notFound()
      return reply.send({ pieceCid })
    })
    app.get('/pdp/piece/:cid/status', named('piece_status'), (request: PieceRequest, reply) => {
      const { cid } = request.params
      if (rootOf(cid) === undefined) throw refusal(400, 'Invalid piece CID')
      const found = pieces.find(cid)
      if (!found) throw refusal(404, 'Piece not found or does not belong to service')
      return reply.send({ pieceCid: found.pieceCid, status: 'stored', indexed: false, advertised: false, retrieved: false })
    })
  }
}

function openUpload({ ledger }: ProviderContext, record: Pick<UploadRecord, 'pieceCid'>): string {
  const uuid = randomUUID()
  ledger.state.uploads[uuid] = { ...record, stored: false, touchedAtMs: Date.now() }
  ledger.changed()
  return uuid
}

function closeUpload({ ledger }: ProviderContext, uuid: string): void {
  delete ledger.state.uploads[uuid]
  ledger.changed()
}

function requireUpload({ ledger }: ProviderContext, uuid: string): UploadRecord {
  if (!uuidPattern.test(uuid)) throw refusal(400, 'Invalid upload UUID')
  const upload = Object.hasOwn(ledger.state.uploads, uuid) ? ledger.state.uploads[uuid] : undefined
  if (!upload) throw notFound()
  return upload
}

async function readPieceCid(request: FastifyRequest): Promise<string> {
  const body = pieceBody(await readJson(request))
  if (body instanceof type.errors) throw refusal(400, `Invalid request body: ${body.summary}`)
  const { rawSize } = requirePieceCid(body.pieceCid, 'Invalid request body: invalid pieceCid')
  if (rawSize < PIECE_BYTES_MIN) throw refusal(400, `Piece size is below the minimum allowed size (${PIECE_BYTES_MIN} bytes)`)
  if (rawSize > PIECE_BYTES_MAX) throw refusal(413, 'Piece size exceeds the maximum allowed size')
  return body.pieceCid
}

async function receiveBody(context: ProviderContext, request: UploadRequest, bytesMax: number): Promise<ReceivedBytes> {
  const { pieces, counters } = context
  try {
    return await pieces.receive(request.params.uuid, request.raw, {
      bytesMax,
      onBytes: (count) => {
        counters.uploadBytes += count
      },
    })
  } catch (cause) {
    pieces.discardArrival(request.params.uuid)
    if (cause instanceof PieceTooLargeError) throw refusal(413, 'piece data exceeds the maximum allowed size', { cause })
    throw refusal(500, 'Failed to store piece data', { cause })
  }
}

async function storeStreamed(context: ProviderContext, request: UploadRequest): Promise<void> {
  const upload = requireUpload(context, request.params.uuid)
  const { pieceCid, size } = await receiveBody(context, request, PIECE_BYTES_MAX)
  if (pieceCid === undefined || size < PIECE_BYTES_MIN) {
    context.pieces.discardArrival(request.params.uuid)
    throw refusal(400, `piece data is below the minimum allowed size (${PIECE_BYTES_MIN} bytes)`)
  }
  Object.assign(upload, { pieceCid, stored: true, touchedAtMs: Date.now() })
  context.ledger.changed()
}

function finaliseStreamed(context: ProviderContext, uuid: string, pieceCid: string): void {
  const upload = requireUpload(context, uuid)
  if (!upload.stored) throw refusal(500, 'Failed to process piece upload: piece data has not been uploaded')
  if (upload.pieceCid !== pieceCid) {
    throw refusal(400, 'Invalid request body: pieceCid does not match the calculated pieceCid for the uploaded piece')
  }
  parkArrival(context, { uuid, pieceCid, route: 'upload_finalize' })
}

async function storeDeclared(context: ProviderContext, request: UploadRequest): Promise<void> {
  const { uuid } = request.params
  const upload = requireUpload(context, uuid)
  const { pieceCid = '' } = upload
  const { rawSize } = requirePieceCid(pieceCid, 'Invalid upload')
  const received = await receiveBody(context, request, rawSize)
  if (received.size !== rawSize || received.pieceCid !== pieceCid) {
    context.pieces.discardArrival(uuid)
    const what = received.size === rawSize ? 'Computed hash does not match expected hash' : 'Piece size does not match the expected size'
    throw refusal(400, what)
  }
  parkArrival(context, { uuid, pieceCid, route: 'piece_put' })
}

function parkArrival(context: ProviderContext, arrival: { uuid: string; pieceCid: string; route: RouteName }): void {
  const late = context.faults.take('late_parking', arrival.route)
  context.pieces.park(arrival.uuid, arrival.pieceCid, late?.delayMs ?? context.settings.parkDelayMs)
  closeUpload(context, arrival.uuid)
}
