/** Providers that send broken HTTP, slow answers or none: every call settles by its deadline. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { openProviderClient, type ProviderClient } from './provider-client.ts'
import type { TimeLimits } from './provider-limits.ts'
import { bytesBody, type UploadBody } from './upload-body.ts'

const add = { dataSetId: 7n, pieces: ['bafk'], extraData: '0x01' } as const
const session = '11111111-2222-3333-4444-555555555555'
const undo: (() => unknown)[] = []

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** A raw TCP server: `answer` is called for each connection after the headers of a request. */
async function provider(answer: (socket: Socket, head: string) => void, limits: Partial<TimeLimits>): Promise<ProviderClient> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // Expected: the client closes the connection.
    socket.on('error', () => undefined)
    let head = ''
    socket.on('data', (bytes) => {
      if (head.includes('\r\n\r\n')) return
      head += bytes.toString('latin1')
      if (head.includes('\r\n\r\n')) answer(socket, head)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = openProviderClient(url, { allowPrivateNetworks: true, timeLimits: limits })
  undo.push(() => {
    client.close()
    for (const socket of sockets) socket.destroy()
    return new Promise((closed) => server.close(closed))
  })
  return client
}

/** Writes the text repeatedly until the connection ends. */
function repeat(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.once('close', () => clearInterval(timer))
}

const generous: Partial<TimeLimits> = { connect: 60_000, read: 60_000, submit: 60_000, ping: 60_000, session: 60_000, transferIdle: 60_000 }
const switching = (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')

test('101 Switching Protocols settles every call at once and closes its connection', async () => {
  const closed: Promise<unknown>[] = []
  const client = await provider((socket) => {
    closed.push(new Promise((done) => socket.once('close', done)))
    switching(socket)
  }, generous)
  const unreadable = { kind: 'uncertain', cause: { reason: 'unreadable_answer', status: 101 } }
  expect(await client.ping()).toMatchObject(unreadable)
  expect(await client.addPieces(add)).toMatchObject(unreadable)
  expect(await client.findPiece('bafk')).toMatchObject(unreadable)
  expect(await client.openPiece('bafk')).toMatchObject(unreadable)
  expect(await client.upload({ pieceCid: 'bafk', body: bytesBody(new Uint8Array(200)) })).toMatchObject(unreadable)
  await Promise.all(closed)
})

test('101 during an upload settles the upload', async () => {
  const client = await provider((socket, head) => {
    if (head.startsWith('PUT')) switching(socket)
    else socket.end(`HTTP/1.1 201 Created\r\nLocation: /pdp/piece/upload/${session}\r\nContent-Length: 0\r\n\r\n`)
  }, generous)
  const answer = await client.upload({ pieceCid: 'bafk', body: bytesBody(new Uint8Array(50_000_000)) })
  expect(answer).toMatchObject({ kind: 'uncertain', cause: { reason: 'unreadable_answer', status: 101 } })
})

test.each([
  ['closes inside the headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'), 'connection_lost'],
  ['closes without an answer', (socket: Socket) => socket.end(), 'connection_lost'],
  ['sends another protocol', (socket: Socket) => socket.write('SSH-2.0-OpenSSH\r\n\r\n'), 'connection_lost'],
  ['sends endless headers', (socket: Socket) => repeat(socket, `x-more: ${'x'.repeat(1000)}\r\n`, 1), undefined],
  [
    'closes inside the body',
    (socket: Socket) => socket.end('HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\nten bytes!'),
    'connection_lost',
  ],
])('a provider that %s leaves the outcome of a paid call uncertain', async (_what, answer, reason) => {
  const client = await provider((socket) => {
    if (reason === undefined) socket.write('HTTP/1.1 200 OK\r\n')
    answer(socket)
  }, generous)
  expect(await client.addPieces(add)).toMatchObject({ kind: 'uncertain', cause: { reason: reason ?? 'connection_lost' } })
})

test.each([
  [
    'the headers byte by byte',
    (socket: Socket) => {
      socket.write('HTTP/1.1 201 Created\r\nx-header: ')
      repeat(socket, 'x', 10)
    },
  ],
  [
    'the body byte by byte',
    (socket: Socket) => {
      socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100000\r\n\r\n')
      repeat(socket, 'x', 10)
    },
  ],
  ['endless "100 Continue" responses', (socket: Socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n', 10)],
  ['nothing', () => undefined],
])('a call to a provider that sends %s times out at its deadline', async (_what, answer) => {
  const client = await provider(answer, { ...generous, submit: 300, ping: 300, session: 300 })
  const timeout = { kind: 'uncertain', cause: { reason: 'timeout' } }
  expect(await client.addPieces(add)).toMatchObject(timeout)
  expect(await client.ping()).toMatchObject(timeout)
  expect(await client.upload({ pieceCid: 'bafk', body: bytesBody(new Uint8Array(200)) })).toMatchObject(timeout)
})

test('an endless body is unreadable as soon as it is too long', async () => {
  const client = await provider((socket) => {
    socket.write('HTTP/1.1 201 Created\r\n\r\n')
    repeat(socket, 'x'.repeat(64 * 1024), 1)
  }, generous)
  expect(await client.addPieces(add)).toMatchObject({ kind: 'uncertain', cause: { reason: 'unreadable_answer', status: 201 } })
})

/** A body that yields its blocks with pauses. */
function slowBody(size: number, blocks: number, pauseMs: number): UploadBody {
  const bytes = Buffer.alloc(size / blocks)
  return {
    size,
    open: () =>
      Readable.from(
        (async function* () {
          for (let block = 0; block < blocks; block++) {
            yield bytes
            await new Promise((done) => setTimeout(done, pauseMs))
          }
        })(),
        { objectMode: false },
      ),
  }
}

test('an upload below the minimum rate times out although it never stalls', async () => {
  const client = await provider(
    (socket, head) => {
      if (head.startsWith('POST')) socket.end(`HTTP/1.1 201 Created\r\nLocation: /pdp/piece/upload/${session}\r\nContent-Length: 0\r\n\r\n`)
    },
    { ...generous, uploadBase: 200, uploadBytesPerSecond: 1_000_000 },
  )
  let sent = 0
  const answer = await client.upload({ pieceCid: 'bafk', body: slowBody(100_000, 1000, 10), onProgress: (bytes) => (sent = bytes) })
  expect(answer).toMatchObject({ kind: 'uncertain', cause: { reason: 'timeout' } })
  expect(sent).toBeLessThan(100_000)
})

test('a provider that stops reading bytes in memory has the time of a transfer, not that of an answer', async () => {
  const client = await provider(
    (socket, head) => {
      if (head.startsWith('POST')) socket.end(`HTTP/1.1 201 Created\r\nLocation: /pdp/piece/upload/${session}\r\nContent-Length: 0\r\n\r\n`)
      else socket.pause()
    },
    { ...generous, transferIdle: 300, uploadAnswer: 60_000 },
  )
  const body = bytesBody(new Uint8Array(32 * 1024 * 1024))
  let sent = 0
  const answer = await client.upload({ pieceCid: 'bafk', body, onProgress: (bytes) => (sent = bytes) })
  expect(answer).toMatchObject({ kind: 'uncertain', cause: { reason: 'timeout' } })
  expect(sent).toBeLessThan(body.size)
})
