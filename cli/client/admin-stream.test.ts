import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { openStream, readText, type StreamRequest, streamIdleMs } from './admin-stream.ts'

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sent = { base, path: '/', method: 'POST', headers: {}, answerMs: 10_000 }
  return {
    open: (request: Partial<StreamRequest> = {}) => openStream({ ...sent, ...request }),
    [Symbol.dispose]: () => void server.close().closeAllConnections(),
  }
}

async function* chunks(count: number, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield Buffer.alloc(size, at)
}

test('a body without a length is sent in chunks, and the answer is read as it comes', async () => {
  using server = await serve(async (request, response) => {
    const bytes = (await request.toArray()).reduce((sum: number, chunk: Buffer) => sum + chunk.length, 0)
    response.end(`${request.headers['transfer-encoding']} ${bytes}`)
  })
  expect(await readText(await server.open({ body: chunks(40) }), 'x')).toBe(`chunked ${40 * 65_536}`)
})

test('an early refusal is the answer, and the rest of the body is not sent', async () => {
  using server = await serve((_request, response) => void response.writeHead(413).end('too large'))
  let isLeft = false
  async function* endless() {
    try {
      for (;;) yield* chunks(1)
    } finally {
      isLeft = true
    }
  }
  const answer = await server.open({ body: endless() })
  expect([answer.response.status, await readText(answer, 'x')]).toEqual([413, 'too large'])
  await expect.poll(() => isLeft).toBe(true)
})

test('an error of the body ends the request with that error', async () => {
  const arrived = Promise.withResolvers<void>()
  const cut = Promise.withResolvers<void>()
  using server = await serve((request) => {
    arrived.resolve()
    request.on('error', () => cut.resolve()).resume()
  })
  async function* broken() {
    yield Buffer.alloc(10)
    await arrived.promise
    throw new Error('the disk broke')
  }
  await expect(server.open({ body: broken() })).rejects.toThrow('the disk broke')
  await cut.promise
})

test('a service that stops reading the body is abandoned', async () => {
  using server = await serve((request) => void request.pause())
  await expect(server.open({ body: chunks(1000, 1_000_000), idleMs: 50 })).rejects.toThrow('took no bytes for 0.05 s')
})

test('a service that does not answer after the body is abandoned at the limit', async () => {
  using server = await serve(() => undefined)
  await expect(server.open({ answerMs: 50 })).rejects.toThrow('it did not come within 0.05 s (--timeout)')
})

test('an answer that stalls or ends early is an error, not a short answer', async () => {
  using silent = await serve((_request, response) => void response.write('a'))
  await expect(readText(await silent.open({ idleMs: 50 }), 'x')).rejects.toThrow('broke off: it sent nothing for 0.05 s')
  using cut = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('a', () => response.destroy())
  })
  await expect(readText(await cut.open(), 'x')).rejects.toThrow('broke off')
})

test('a slow reader of the answer does not count as a stalled service', async () => {
  using server = await serve((_request, response) => void response.end('ab'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { bytes } = await server.open()
    let read = ''
    for await (const chunk of bytes) {
      vi.advanceTimersByTime(2 * streamIdleMs)
      read += Buffer.from(chunk).toString()
    }
    expect(read).toBe('ab')
  } finally {
    vi.useRealTimers()
  }
})

test('closing ends the loop over the bytes', async () => {
  using server = await serve((_request, response) => void response.write('a'))
  const { bytes, close } = await server.open()
  const read = (async () => {
    for await (const chunk of bytes) if (chunk.length > 0) close()
  })()
  await expect(read).rejects.toThrow('broke off')
})
