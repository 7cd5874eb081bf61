/** Connections that never finish a request: one client must not block the others. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'

/** The connection limit of the S3 server (`server.max_connections`). */
const halfOpenCount = 4096
/** Connections opened at once; more would only wait in the system's accept queue. */
const batchSize = 256
const attacker = '127.0.0.2'

let svc: ServeProcess
beforeAll(async () => {
  svc = await startServe()
})
afterAll(() => svc?.[Symbol.asyncDispose]())

interface HalfOpen extends Disposable {
  endedCount(): number
}

/** Opens connections that send an incomplete request head. */
async function openHalf(url: string, count: number): Promise<HalfOpen> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  let ended = 0
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(batchSize, count - sockets.length) }, () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: attacker })
      // The server may end the connection with a reset.
      socket.on('error', () => {}).resume()
      socket.once('close', () => void ended++)
      socket.write('GET / HTTP/1.1\r\nHost: svc\r\nX-Slow: ')
      return socket
    })
    sockets.push(...batch)
    await Promise.all(batch.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})))
  }
  return {
    endedCount: () => ended,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Status of a request on a new connection; undefined without an answer. */
function requestStatus(url: string, path: string, localAddress: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    request({ hostname, port, path, localAddress, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', () => resolve(undefined))
      .end()
  })
}

test.each([
  ['the S3 API', () => svc.s3Url, '/', 403, 1024],
  ['the Admin API', () => svc.adminUrl, '/healthz', 200, 256],
] as const)(
  '4,096 half-open connections of one client do not block %s for others, and are closed',
  async (...[, url, path, status, share]) => {
    using halfOpen = await openHalf(url(), halfOpenCount)
    await expect.poll(halfOpen.endedCount).toBeGreaterThanOrEqual(halfOpenCount - share)
    for (let n = 0; n < 20; n++) expect(await requestStatus(url(), path, '127.0.0.1')).toBe(status)
    // After the header timeout the client itself is served again.
    await expect.poll(halfOpen.endedCount).toBe(halfOpenCount)
    expect(await requestStatus(url(), path, attacker)).toBe(status)
  },
)
