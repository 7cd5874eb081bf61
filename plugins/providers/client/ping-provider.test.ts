import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { pingProvider } from './ping-provider.ts'

async function provider(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const open = { timeoutMs: 2000, egress: { allowPrivateNetworks: true } }

test.each([
  ['', '/pdp/ping'],
  ['/', '/pdp/ping'],
  ['/base', '/base/pdp/ping'],
  ['/base/?query#part', '/base/pdp/ping'],
])('a provider at %j is pinged at %s', async (base, path) => {
  const url = await provider((request, response) => response.writeHead(request.url === path ? 200 : 404).end())
  expect((await pingProvider(url + base, open)).kind).toBe('ok')
})

test.each([301, 302, 404, 500, 204])('the status %i is not reachable', async (status) => {
  const elsewhere = await provider((_request, response) => response.writeHead(200).end())
  const url = await provider((_request, response) => response.writeHead(status, { location: elsewhere }).end())
  expect((await pingProvider(url, open)).kind).not.toBe('ok')
})

test('timeouts, refused connections and invalid URLs are not reachable', async () => {
  const silent = await provider(() => {})
  expect((await pingProvider(silent, { ...open, timeoutMs: 50 })).kind).not.toBe('ok')
  expect((await pingProvider('http://127.0.0.1:9', open)).kind).not.toBe('ok')
  expect((await pingProvider('ftp://127.0.0.1', open)).kind).not.toBe('ok')
  expect((await pingProvider('nonsense', open)).kind).not.toBe('ok')
})

async function tcpProvider(answer: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined).once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a switch of protocol is not reachable, without waiting for the timeout', async () => {
  const url = await tcpProvider((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'))
  expect((await pingProvider(url, { ...open, timeoutMs: 600_000 })).kind).not.toBe('ok')
})

test('headers that never end are not reachable', async () => {
  const url = await tcpProvider((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-header: ')
    const timer = setInterval(() => socket.write('x'), 5)
    socket.once('close', () => clearInterval(timer))
  })
  expect((await pingProvider(url, { ...open, timeoutMs: 200 })).kind).not.toBe('ok')
})

test('I-13: a private address gets no request unless it is allowed', async () => {
  let requests = 0
  const url = await provider((_request, response) => {
    requests += 1
    response.writeHead(200).end()
  })
  const resolve = async () => [{ address: '10.0.0.1', family: 4 as const }]
  expect((await pingProvider(url, { timeoutMs: 2000, egress: { allowPrivateNetworks: false } })).kind).not.toBe('ok')
  expect((await pingProvider('http://sp.example', { timeoutMs: 2000, egress: { allowPrivateNetworks: false, resolve } })).kind).not.toBe(
    'ok',
  )
  expect(requests).toBe(0)
})

test('a slow DNS lookup ends at the timeout', async () => {
  const never = () => new Promise<never>(() => {})
  expect(
    (await pingProvider('http://sp.example', { timeoutMs: 50, egress: { allowPrivateNetworks: true, resolve: never } })).kind,
  ).not.toBe('ok')
})
