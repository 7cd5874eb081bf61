/** Nodes that accept a request and never finish the response. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ChainUnreachable } from './chain-error.ts'
import { openChain } from './clients.ts'
import { resolveNetwork } from './networks.ts'

async function nodeAt(scheme: 'http' | 'ws', answer: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined).once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/token-secret`
}

const drip = (socket: Socket) => {
  const timer = setInterval(() => socket.write('x'), 5)
  socket.once('close', () => clearInterval(timer))
}

test('of an answer of 100 MB no more than 16 MiB are read, before its end and its deadline', async () => {
  const sent: number[] = []
  const rpcUrl = await nodeAt('http', (socket) => {
    const block = Buffer.alloc(1024 * 1024, 'x')
    const attempt = sent.push(0) - 1
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const send = (): void => {
      while (!socket.destroyed && (sent[attempt] ?? 0) < 100) {
        sent[attempt] = (sent[attempt] ?? 0) + 1
        if (!socket.write(Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from('\r\n')]))) break
      }
    }
    socket.on('drain', send)
    send()
  })
  const chain = openChain({ network: await resolveNetwork({ network: 'calibration', rpcUrl }), requestMs: 60_000, isShortLived: true })
  await expect(chain.logs({ fromBlock: 1n, toBlock: 2n })).rejects.toBeInstanceOf(ChainUnreachable)
  // Each attempt, with what the buffers between the two take.
  expect(sent.length).toBeGreaterThan(0)
  expect(Math.max(...sent)).toBeLessThan(40)
})

test.each([
  [
    'http',
    'drips its body',
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n')
      drip(socket)
    },
  ],
  ['http', 'stops after its headers', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n')],
  ['http', 'drips its headers', drip],
  ['ws', 'never opens the websocket', () => undefined],
] as const)('a %s node that %s is unreachable at the deadline', async (scheme, _what, answer) => {
  const closed: Promise<unknown>[] = []
  const rpcUrl = await nodeAt(scheme, (socket) => {
    closed.push(new Promise((done) => socket.once('close', done)))
    answer(socket)
  })
  const chain = openChain({ network: await resolveNetwork({ network: 'calibration', rpcUrl }), requestMs: 300, isShortLived: true })
  const failure = await chain.currentEpoch().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ChainUnreachable)
  expect(String(failure)).not.toContain('secret')
  // Direct calls of the viem client have the deadline too.
  await expect(chain.publicClient.getTransactionCount({ address: `0x${'1'.repeat(40)}` })).rejects.toThrow()
  if (scheme === 'http') await Promise.all(closed)
})
