import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { encodeErrorResult } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { fwssErrorsAbi } from '../chain/fwss-abi.ts'
import { openProviderClient, type ProviderClient } from './provider-client.ts'
import type { TimeLimits } from './provider-limits.ts'
import { bytesBody, fileBody, joinBodies, UploadSourceFailed } from './upload-body.ts'

const hash = `0x${'ab'.repeat(32)}` as const
const pieceCid = 'bafkzcibcaabdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy'
const recordKeeper = '0x02925630df557F957f70E112bA06e50965417CA0'
const create = { recordKeeper, extraData: '0x01' } as const
const add = { dataSetId: 7n, pieces: [pieceCid], extraData: '0x01' } as const
const session = '11111111-2222-3333-4444-555555555555'
const undo: (() => unknown)[] = []

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** A provider that answers with `listener` under a base path, and a client that may connect to loopback. */
async function provider(listener: RequestListener, limits: Partial<TimeLimits> = {}): Promise<ProviderClient> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(closed))
  })
  return clientAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base`, limits)
}

function clientAt(url: string, limits: Partial<TimeLimits> = {}): ProviderClient {
  const client = openProviderClient(url, { allowPrivateNetworks: true, timeLimits: limits })
  undo.push(() => client.close())
  return client
}

/** Starts a raw TCP server and returns its port. */
async function tcpPort(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    // Expected: the client closes the connection.
    onSocket(socket.on('error', () => undefined).resume())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((done) => server.close(done))
  })
  return (server.address() as AddressInfo).port
}

const replies =
  (status: number, body = '', headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body))
  }
const reverted = (args: Parameters<typeof encodeErrorResult>[0]) =>
  `Failed to send transaction: failed to estimate gas: message execution failed (exit=[33], revert reason=[${encodeErrorResult(args)}], vm error=[x])\n`
const usedNonce = reverted({ abi: fwssErrorsAbi, errorName: 'ClientDataSetAlreadyRegistered', args: [1n] })
const noFunds = reverted({ abi: fwssErrorsAbi, errorName: 'InsufficientLockupFunds', args: [recordKeeper, 9n, 1n] })

test.each([
  [
    201,
    '',
    { location: `/pdp/data-sets/7/pieces/added/${hash.toUpperCase().replace('0X', '0x')}` },
    { kind: 'ok', value: { txHash: hash } },
  ],
  [201, '', {}, { kind: 'uncertain', cause: { reason: 'unreadable_answer', status: 201 } }],
  [200, '{}', {}, { kind: 'uncertain', cause: { reason: 'server_error', status: 200 } }],
  [302, '', { location: 'http://169.254.169.254/' }, { kind: 'uncertain', cause: { reason: 'server_error', status: 302 } }],
  [
    400,
    'piece count (41) exceeds\n',
    {},
    { kind: 'not_sent', cause: { reason: 'invalid', status: 400, detail: 'piece count (41) exceeds' } },
  ],
  [401, 'Unauthorized', {}, { kind: 'not_sent', cause: { reason: 'unauthorized', status: 401 } }],
  [403, 'keeper', {}, { kind: 'not_sent', cause: { reason: 'unauthorized', status: 403 } }],
  [404, 'Data set not found', {}, { kind: 'not_sent', cause: { reason: 'data_set_gone', status: 404 } }],
  [409, 'terminated', {}, { kind: 'not_sent', cause: { reason: 'data_set_gone', status: 409 } }],
  [413, 'too large', {}, { kind: 'not_sent', cause: { reason: 'invalid', status: 413 } }],
  [429, 'later', { 'retry-after': '120' }, { kind: 'not_sent', cause: { reason: 'throttled', retryAfterMs: 120_000 } }],
  [429, 'later', {}, { kind: 'not_sent', cause: { reason: 'throttled', retryAfterMs: 60_000 } }],
  [408, '', {}, { kind: 'uncertain', cause: { reason: 'server_error', status: 408 } }],
  [500, 'Internal server error [eid: x]', {}, { kind: 'uncertain', cause: { reason: 'server_error', status: 500 } }],
  [500, 'revert reason=[0xdeadbeef]', {}, { kind: 'uncertain', cause: { reason: 'server_error', status: 500 } }],
  [502, '<html>bad gateway</html>', {}, { kind: 'uncertain', cause: { reason: 'server_error', status: 502 } }],
  [
    500,
    noFunds,
    {},
    {
      kind: 'not_sent',
      cause: { reason: 'reverted', revert: { contract: 'fwss', errorName: 'InsufficientLockupFunds', args: [recordKeeper, 9n, 1n] } },
    },
  ],
  [400, 'chain: context deadline exceeded', {}, { kind: 'uncertain', cause: { reason: 'server_error', status: 400 } }],
  [400, 'Failed to send transaction: chain: connection refused', {}, { kind: 'uncertain', cause: { status: 400 } }],
  [400, 'chain: revert reason=[0xdeadbeef]', {}, { kind: 'uncertain', cause: { status: 400 } }],
  [400, `chain: ${noFunds}`, {}, { kind: 'not_sent', cause: { reason: 'reverted' } }],
  [429, 'chain: busy', {}, { kind: 'not_sent', cause: { reason: 'throttled' } }],
  [400, 'supply chain: wrong', {}, { kind: 'not_sent', cause: { reason: 'invalid' } }],
  [500, usedNonce, {}, { kind: 'landed' }],
  [400, `extraData validation failed: ${usedNonce}`, {}, { kind: 'landed' }],
])('an addition answered %d %j means %#', async (status, body, headers, expected) => {
  const client = await provider(replies(status, body, headers as Record<string, string>))
  expect(await client.addPieces(add)).toMatchObject(expected)
})

test('404 on a creation does not refer to a data set', async () => {
  const client = await provider(replies(404, '404 page not found'))
  expect(await client.createDataSet(create)).toMatchObject({ kind: 'not_sent', cause: { reason: 'not_found' } })
})

test('requests use the base path and the body format of the provider', async () => {
  const seen: unknown[] = []
  const client = await provider(async (request, response) => {
    const text = (await buffer(request)).toString()
    seen.push([request.method, request.url, text === '' ? null : JSON.parse(text)])
    response.writeHead(201, { location: `/pdp/data-sets/created/${hash}` }).end()
  })
  const subPieces = [{ subPieceCid: pieceCid }]
  await client.createDataSet(create)
  await client.addPieces(add)
  await client.pull({ ...create, dataSetId: 7n, pieces: [{ pieceCid, sourceUrl: 'https://a.example/piece/x' }] })
  await client.deletePieces({ dataSetId: 7n, pieceIds: [3n, 4n], extraData: '0x01' })
  await client.terminate({ dataSetId: 7n, extraData: '0x01' })
  expect(seen).toEqual([
    ['POST', '/base/pdp/data-sets', create],
    ['POST', '/base/pdp/data-sets/7/pieces', { extraData: '0x01', pieces: [{ pieceCid, subPieces }] }],
    ['POST', '/base/pdp/piece/pull', { ...create, dataSetId: 7, pieces: [{ pieceCid, sourceUrl: 'https://a.example/piece/x' }] }],
    ['DELETE', '/base/pdp/data-sets/7/pieces/3', { extraData: '0x01', pieceIds: [3, 4] }],
    ['POST', '/base/pdp/data-sets/7/terminate', { extraData: '0x01' }],
  ])
  expect(client.pieceUrl(pieceCid)).toBe(`${client.serviceUrl}piece/${pieceCid}`)
})

test('a refused connection is reported as not sent', async () => {
  const closed = createTcpServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((done) => closed.close(done))
  const client = clientAt(`http://127.0.0.1:${port}/`)
  expect(await client.addPieces(add)).toMatchObject({ kind: 'not_sent', cause: { reason: 'unreachable', step: 'connect' } })
})

test('a failed TLS handshake is reported as not sent', async () => {
  const port = await tcpPort((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const client = clientAt(`https://127.0.0.1:${port}/`)
  expect(await client.addPieces(add)).toMatchObject({ kind: 'not_sent', cause: { reason: 'unreachable', step: 'tls' } })
})

test('an unanswered TLS handshake ends at the connection limit and is reported as not sent', async () => {
  const client = clientAt(`https://127.0.0.1:${await tcpPort(() => undefined)}/`, { connect: 50 })
  expect(await client.addPieces(add)).toMatchObject({ kind: 'not_sent', cause: { reason: 'unreachable', step: 'tls' } })
})

test('I-13: a private address is refused before anything is sent', async () => {
  const client = openProviderClient('http://127.0.0.1:9/', { allowPrivateNetworks: false })
  expect(await client.ping()).toMatchObject({ kind: 'not_sent', cause: { reason: 'egress_refused', refusal: 'private_address' } })
})

test('a DNS failure is reported as not sent', async () => {
  const resolve = async () => {
    throw new Error('ENOTFOUND')
  }
  const client = openProviderClient('http://sp.example/', { allowPrivateNetworks: false, resolve })
  expect(await client.addPieces(add)).toMatchObject({ kind: 'not_sent', cause: { reason: 'unreachable', step: 'dns' } })
})

test.each([
  ['before the body is read', (request: IncomingMessage) => request.socket.resetAndDestroy()],
  ['after the body is read', (request: IncomingMessage) => request.resume().on('end', () => request.socket.resetAndDestroy())],
])('a connection reset %s leaves the outcome uncertain', async (_when, reset) => {
  const client = await provider((request) => reset(request))
  expect(await client.addPieces(add)).toMatchObject({ kind: 'uncertain', cause: { reason: 'connection_lost' } })
})

test('an interrupted answer leaves the outcome uncertain', async () => {
  const client = await provider((request, response) => {
    response.writeHead(201, { location: `/x/${hash}`, 'content-length': '100' })
    response.write('half', () => request.socket.destroy())
  })
  expect(await client.addPieces(add)).toMatchObject({ kind: 'uncertain', cause: { reason: 'connection_lost' } })
})

test('a timeout leaves the outcome uncertain', async () => {
  const client = await provider(() => undefined, { submit: 50 })
  expect(await client.addPieces(add)).toMatchObject({ kind: 'uncertain', cause: { reason: 'timeout' } })
})

test('I-07: a paid request whose lease is lost during the DNS lookup is not sent', async () => {
  let requests = 0
  const client = await provider((_request, response) => {
    requests++
    response.writeHead(201, { location: `/pdp/data-sets/7/pieces/added/${hash}` }).end()
  })
  const lease = new AbortController()
  const answer = client.addPieces(add, { signal: lease.signal })
  lease.abort(new Error('the lease was lost'))
  expect(await answer).toMatchObject({ kind: 'not_sent', cause: { reason: 'aborted', detail: 'Error: the lease was lost' } })
  expect(requests).toBe(0)
})

test('an abort before the request is reported as not sent, and after it as uncertain', async () => {
  const running = new AbortController()
  const client = await provider(() => running.abort(new Error('stop')))
  expect(await client.addPieces(add, { signal: AbortSignal.abort(new Error('stop')) })).toMatchObject({
    kind: 'not_sent',
    cause: { reason: 'aborted' },
  })
  expect(await client.addPieces(add, { signal: running.signal })).toMatchObject({ kind: 'uncertain', cause: { reason: 'aborted' } })
})

test('a success with an overlong body is unreadable, an error with one keeps its status', async () => {
  const long = 'x'.repeat(300_000)
  const sizes = await provider((request, response) => response.writeHead(request.method === 'POST' ? 400 : 200).end(long))
  expect(await sizes.creationStatus(hash)).toMatchObject({ kind: 'uncertain', cause: { reason: 'unreadable_answer' } })
  expect(await sizes.addPieces(add)).toMatchObject({ kind: 'not_sent', cause: { reason: 'invalid', status: 400 } })
})

test('calls beyond the limits of the provider are refused locally', async () => {
  let requests = 0
  const client = await provider((_request, response) => {
    requests++
    response.end()
  })
  const overLimit = { kind: 'not_sent', cause: { reason: 'over_limit' } }
  const pieces = Array.from({ length: 405 }, () => pieceCid)
  const pulled = Array.from({ length: 41 }, () => ({ pieceCid, sourceUrl: 'https://a.example/piece/x' }))
  expect(await client.addPieces({ ...add, pieces })).toMatchObject(overLimit)
  expect(await client.addPieces({ ...add, pieces: [] })).toMatchObject(overLimit)
  expect(await client.pull({ ...create, pieces: pulled })).toMatchObject(overLimit)
  const pieceIds = Array.from({ length: 101 }, (_, id) => BigInt(id))
  expect(await client.deletePieces({ dataSetId: 1n, pieceIds, extraData: '0x' })).toMatchObject(overLimit)
  expect(await client.upload({ pieceCid, body: bytesBody(new Uint8Array(126)) })).toMatchObject(overLimit)
  expect(requests).toBe(0)
})

test('a paid call opens its own connection; a read on a closed idle connection is retried', async () => {
  const sockets: unknown[] = []
  const seen: string[] = []
  const client = await provider((request, response) => {
    seen.push(String(request.url))
    // Drops the second request on a connection, like a server that just timed the connection out.
    if (sockets.includes(request.socket)) return request.socket.resetAndDestroy()
    sockets.push(request.socket)
    replies(200, 'curio-pdp')(request, response)
  })
  expect(await client.ping()).toMatchObject({ kind: 'ok' })
  expect(await client.ping()).toMatchObject({ kind: 'ok' })
  expect(await client.addPieces(add)).toMatchObject({ kind: 'uncertain', cause: { reason: 'server_error', status: 200 } })
  expect(seen).toEqual(['/base/pdp/ping', '/base/pdp/ping', '/base/pdp/ping', '/base/pdp/data-sets/7/pieces'])
})

test('the upload of bytes in memory uses the connection of its session, and is sent again on another one when that is closed', async () => {
  const bytes = randomBytes(4096)
  const received: Buffer[] = []
  const sockets = new Set<unknown>()
  let dropped = 0
  const client = await provider(async (request, response) => {
    sockets.add(request.socket)
    if (request.method === 'POST') return response.writeHead(201, { location: `/pdp/piece/upload/${session}` }).end()
    if (dropped > 0) {
      dropped -= 1
      return request.socket.resetAndDestroy()
    }
    received.push(await buffer(request))
    response.writeHead(204).end()
  })
  const sent: number[] = []
  const upload = () => client.upload({ pieceCid, body: bytesBody(bytes), onProgress: (count) => sent.push(count) })
  expect(await upload()).toMatchObject({ kind: 'ok' })
  expect([sockets.size, sent]).toEqual([1, [4096]])
  dropped = 1
  expect(await upload()).toMatchObject({ kind: 'ok' })
  expect(received).toEqual([bytes, bytes])
})

test.each([
  ['creationStatus', { txStatus: 'pending', dataSetCreated: false, ok: null }, { kind: 'ok', value: { state: 'pending' } }],
  ['creationStatus', { txStatus: 'confirmed', dataSetCreated: false, ok: true }, { kind: 'ok', value: { state: 'pending' } }],
  ['creationStatus', { txStatus: 'reorged', dataSetCreated: false, ok: null }, { kind: 'ok', value: { state: 'pending' } }],
  ['creationStatus', { txStatus: 'confirmed', dataSetCreated: false, ok: false }, { kind: 'ok', value: { state: 'failed' } }],
  ['creationStatus', { txStatus: 'failed', dataSetCreated: false, ok: null }, { kind: 'ok', value: { state: 'failed' } }],
  [
    'creationStatus',
    { txStatus: 'confirmed', dataSetCreated: true, ok: true, dataSetId: 9, confirmedTxHash: hash },
    { kind: 'ok', value: { state: 'created', dataSetId: 9n, txHash: hash } },
  ],
  [
    'creationStatus',
    { txStatus: 'confirmed', dataSetCreated: true, ok: true },
    { kind: 'uncertain', cause: { reason: 'unreadable_answer' } },
  ],
  ['creationStatus', { hello: 1 }, { kind: 'uncertain', cause: { reason: 'unreadable_answer' } }],
  [
    'additionStatus',
    { txStatus: 'confirmed', piecesAdded: true, addMessageOk: true, confirmedPieceIds: [4, 5] },
    { kind: 'ok', value: { state: 'added', pieceIds: [4n, 5n] } },
  ],
  ['additionStatus', { txStatus: 'confirmed', piecesAdded: false, addMessageOk: false }, { kind: 'ok', value: { state: 'failed' } }],
  ['additionStatus', { txStatus: 'pending', piecesAdded: false, addMessageOk: null }, { kind: 'ok', value: { state: 'pending' } }],
  [
    'terminationStatus',
    { terminationTxHash: '', fwssTerminated: null, serviceTerminationEpoch: null },
    { kind: 'ok', value: { state: 'queued' } },
  ],
  [
    'terminationStatus',
    { terminationTxHash: hash, fwssTerminated: null, serviceTerminationEpoch: null },
    { kind: 'ok', value: { state: 'sent', txHash: hash } },
  ],
  [
    'terminationStatus',
    { terminationTxHash: '', fwssTerminated: true, serviceTerminationEpoch: 12 },
    { kind: 'ok', value: { state: 'terminated', endEpoch: 12n } },
  ],
] as const)('%s of %j', async (call, body, expected) => {
  const client = await provider(replies(200, JSON.stringify(body)))
  const calls = {
    creationStatus: () => client.creationStatus(hash),
    additionStatus: () => client.additionStatus({ dataSetId: 7n, txHash: hash }),
    terminationStatus: () => client.terminationStatus(7n),
  }
  expect(await calls[call]()).toMatchObject(expected)
})

test.each([
  [202, '', { kind: 'ok', value: { state: 'queued' } }],
  [
    409,
    JSON.stringify({ code: 1, message: 'termination queued', serviceTerminationEpoch: null }),
    { kind: 'ok', value: { state: 'queued' } },
  ],
  [
    409,
    JSON.stringify({ code: 0, message: 'already terminated', serviceTerminationEpoch: 44 }),
    { kind: 'ok', value: { state: 'terminated', endEpoch: 44n } },
  ],
  [503, 'FWSS contract does not support', { kind: 'not_sent', cause: { reason: 'unsupported' } }],
  [404, 'Data set not found', { kind: 'not_sent', cause: { reason: 'data_set_gone' } }],
])('a termination answered %d %s', async (status, body, expected) => {
  const client = await provider(replies(status, body))
  expect(await client.terminate({ dataSetId: 7n, extraData: '0x01' })).toMatchObject(expected)
})

test('a termination unknown to the provider is absent', async () => {
  const client = await provider(replies(404, 'not found'))
  expect(await client.terminationStatus(7n)).toEqual({ kind: 'ok', value: { state: 'absent' } })
})

test('a pull reports the status of each piece', async () => {
  const status = { status: 'complete', pieces: [{ pieceCid, status: 'failed' }] }
  const client = await provider(replies(200, JSON.stringify(status)))
  expect(await client.pull({ ...create, pieces: [{ pieceCid, sourceUrl: 'https://a.example/p' }] })).toEqual({ kind: 'ok', value: status })
})

/** Accepts an upload session and its body, and records the SHA-256 and the announced length. */
function receiver(received: { digest?: string; length?: string | undefined }, answer = 204): RequestListener {
  return async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'POST') return response.writeHead(201, { location: `/pdp/piece/upload/${session}` }).end()
    const digest = createHash('sha256')
    for await (const chunk of request) digest.update(chunk as Buffer)
    Object.assign(received, { digest: digest.digest('hex'), length: request.headers['content-length'] })
    expect(request.url).toBe(`/base/pdp/piece/upload/${session}`)
    response.writeHead(answer).end()
  }
}

test('an upload streams a range of a file and further parts, with a Content-Length', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-upload-'))
  undo.push(() => rm(directory, { recursive: true }))
  const bytes = randomBytes(5_000_000)
  const path = join(directory, 'blob')
  await writeFile(path, bytes)
  const received: { digest?: string; length?: string } = {}
  const client = await provider(receiver(received))
  const sent: number[] = []
  const body = joinBodies([fileBody(path, { start: 1000, size: 4_000_000 }), bytesBody(new Uint8Array(27))])
  const answer = await client.upload({ pieceCid, body, onProgress: (sentBytes) => sent.push(sentBytes) })
  expect(answer).toEqual({ kind: 'ok', value: { alreadyStored: false } })
  const expected = Buffer.concat([bytes.subarray(1000, 4_001_000), Buffer.alloc(27)])
  expect(received).toEqual({ digest: createHash('sha256').update(expected).digest('hex'), length: '4000027' })
  expect(sent.at(-1)).toBe(4_000_027)
  // The body can be opened again for a retry.
  await client.upload({ pieceCid, body })
  expect(received.digest).toBe(createHash('sha256').update(expected).digest('hex'))
})

test('bytes that the provider already has are not sent again', async () => {
  const client = await provider((request, response) => {
    expect(request.method).toBe('POST')
    replies(200, JSON.stringify({ pieceCid }))(request, response)
  })
  expect(await client.upload({ pieceCid, body: bytesBody(randomBytes(200)) })).toEqual({ kind: 'ok', value: { alreadyStored: true } })
})

test('an upload refused during its transfer reports the refusal', async () => {
  const client = await provider((request, response) => {
    if (request.method === 'POST') return response.writeHead(201, { location: `/pdp/piece/upload/${session}` }).end()
    request.once('data', () => response.writeHead(400).end('hash does not match'))
    request.resume()
  })
  const body = bytesBody(randomBytes(3_000_000))
  expect(await client.upload({ pieceCid, body })).toMatchObject({
    kind: 'not_sent',
    cause: { reason: 'invalid', detail: 'hash does not match' },
  })
})

test('a stalled upload ends at the idle limit', async () => {
  const client = await provider(
    (request, response) => {
      if (request.method === 'POST') return response.writeHead(201, { location: `/pdp/piece/upload/${session}` }).end()
      request.pause()
    },
    { transferIdle: 80, uploadAnswer: 80 },
  )
  expect(await client.upload({ pieceCid, body: bytesBody(randomBytes(30_000_000)) })).toMatchObject({
    kind: 'uncertain',
    cause: { reason: 'timeout' },
  })
})

test.each([
  ['is missing', () => fileBody('/nonexistent/blob', { size: 200 })],
  ['is too short', () => ({ size: 500, open: () => bytesBody(randomBytes(200)).open() })],
])('a local body that %s is reported as a local failure', async (_what, body) => {
  const client = await provider(receiver({}))
  await expect(client.upload({ pieceCid, body: body() })).rejects.toThrow(UploadSourceFailed)
})

test.each([
  [200, true],
  [404, false],
  [202, false],
])('a piece lookup answered %d is found: %s', async (status, isFound) => {
  const client = await provider(replies(status, JSON.stringify({ pieceCid })))
  expect(await client.findPiece(pieceCid)).toEqual({ kind: 'ok', value: { isFound } })
})

test('a piece can be opened as a whole and by range', async () => {
  const client = await provider((request, response) => {
    expect(request.url).toBe(`/base/piece/${pieceCid}`)
    if (request.headers.range === undefined) return response.writeHead(200, { 'content-length': '6' }).end('abcdef')
    expect(request.headers.range).toBe('bytes=2-3')
    response.writeHead(206, { 'content-length': '2', 'content-range': 'bytes 2-3/6' }).end('cd')
  })
  const whole = await client.openPiece(pieceCid)
  const part = await client.openPiece(pieceCid, { range: { start: 2, end: 3 } })
  if (whole.kind !== 'ok' || part.kind !== 'ok') throw new Error('not opened')
  expect(whole.value).toMatchObject({ size: 6, length: 6, isPartial: false })
  expect((await buffer(whole.value.stream)).toString()).toBe('abcdef')
  expect(part.value).toMatchObject({ size: 6, length: 2, isPartial: true })
  expect((await buffer(part.value.stream)).toString()).toBe('cd')
  expect(await client.headPiece(pieceCid)).toEqual({ kind: 'ok', value: { size: 6 } })
})

test('an answer with another range than requested is unreadable', async () => {
  const client = await provider((_request, response) => response.writeHead(206, { 'content-range': 'bytes 0-1/6' }).end('ab'))
  expect(await client.openPiece(pieceCid, { range: { start: 2 } })).toMatchObject({
    kind: 'uncertain',
    cause: { reason: 'unreadable_answer' },
  })
})

test('the stream of a stalled download fails at the idle limit', async () => {
  const client = await provider((_request, response) => response.writeHead(200, { 'content-length': '6' }).write('ab'), {
    transferIdle: 50,
  })
  const opened = await client.openPiece(pieceCid)
  if (opened.kind !== 'ok') throw new Error(opened.kind)
  await expect(buffer(opened.value.stream)).rejects.toThrow('no byte for 50 ms')
})

test('a piece that is not served is not found', async () => {
  const client = await provider(replies(404, 'no'))
  expect(await client.openPiece(pieceCid)).toMatchObject({ kind: 'not_sent', cause: { reason: 'not_found' } })
  expect(await client.headPiece(pieceCid)).toMatchObject({ kind: 'not_sent', cause: { reason: 'not_found' } })
})
