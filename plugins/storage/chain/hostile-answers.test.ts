/** Providers that speak HTTP wrongly, slowly or not at all: every call settles, by its deadline at the latest. */
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

/** A server of raw TCP: `answer` is called with each connection once the head of a request has come. */
async function provider(answer: (socket: Socket, head: string) => void, limits: Partial<TimeLimits>): Promise<ProviderClient> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // The client breaks off; that is the point.
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

/** Writes the text again and again until the connection ends. */
function repeat(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.once('close', () => clearInterval(timer))
}

const generous: Partial<TimeLimits> = { connect: 60_000, read: 60_000, submit: 60_000, ping: 60_000, session: 60_000, transferIdle: 60_000 }
const switching = (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')

test('101 Switching Protocols settles every call at once, without a connection left behind', async () => {
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

test('101 during an upload settles it', async () => {
  const client = await provider((socket, head) => {
    if (head.startsWith('PUT')) switching(socket)
    else socket.end(`HTTP/1.1 201 Created\r\nLocation: /pdp/piece/upload/${session}\r\nContent-Length: 0\r\n\r\n`)
  }, generous)
  const answer = await client.upload({ pieceCid: 'bafk', body: bytesBody(new Uint8Array(50_000_000)) })
  expect(answer).toMatchObject({ kind: 'uncertain', cause: { reason: 'unreadable_answer', status: 101 } })
})

test.each([
  ['closes inside the headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'), 'connection_lost'],
  ['closes without a word', (socket: Socket) => socket.end(), 'connection_lost'],
  ['sends no HTTP', (socket: Socket) => socket.write('SSH-2.0-OpenSSH\r\n\r\n'), 'connection_lost'],
  ['sends headers without end', (socket: Socket) => repeat(socket, `x-more: ${'x'.repeat(1000)}\r\n`, 1), undefined],
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
    'one byte of the headers after the other',
    (socket: Socket) => {
      socket.write('HTTP/1.1 201 Created\r\nx-header: ')
      repeat(socket, 'x', 10)
    },
  ],
  [
    'one byte of the body after the other',
    (socket: Socket) => {
      socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100000\r\n\r\n')
      repeat(socket, 'x', 10)
    },
  ],
  ['"100 Continue" for ever', (socket: Socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n', 10)],
  ['nothing', () => undefined],
])('a provider that sends %s is given up by the deadline', async (_what, answer) => {
  const client = await provider(answer, { ...generous, submit: 300, ping: 300, session: 300 })
  const timeout = { kind: 'uncertain', cause: { reason: 'timeout' } }
  expect(await client.addPieces(add)).toMatchObject(timeout)
  expect(await client.ping()).toMatchObject(timeout)
  expect(await client.upload({ pieceCid: 'bafk', body: bytesBody(new Uint8Array(200)) })).toMatchObject(timeout)
})

test('a body without end is unreadable as soon as it is too long', async () => {
  const client = await provider((socket) => {
    socket.write('HTTP/1.1 201 Created\r\n\r\n')
    repeat(socket, 'x'.repeat(64 * 1024), 1)
  }, generous)
  expect(await client.addPieces(add)).toMatchObject({ kind: 'uncertain', cause: { reason: 'unreadable_answer', status: 201 } })
})

/** A body that hands over a block each time it is told to. */
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

test('an upload below the lowest rate is given up although it never stands still', async () => {
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
