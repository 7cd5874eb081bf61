import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Connections } from '#kernel/server'
import type { OpenedObject } from '#plugins/storage'
import { WireBody } from './wire-body.ts'
import { writeAnswer } from './write-answer.ts'

test.each([
  ['ends', undefined, 'Invalid character'],
  ['fails to end', 'the read does not end', 'the read does not end'],
])('the object is closed when its headers cannot be written and its read %s', async (_, failure, message) => {
  const endOfRead = async () => {
    if (failure !== undefined) throw new Error(failure)
  }
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const ended: string[] = []
  const opened: OpenedObject = {
    version: undefined as never,
    source: 'cache',
    async *read() {
      try {
        yield Buffer.from('x')
      } finally {
        ended.push('read')
        await endOfRead()
      }
    },
    async [Symbol.asyncDispose]() {
      ended.push('object')
    },
  }
  const wire = new WireBody(request, response, { bytesPerSecondMin: 1024, idleMs: 1000, awaitsContinue: false })
  const exchange = {
    request,
    response,
    wire,
    requestId: '',
    hostId: '',
    documentMs: 1000,
    admitted: undefined,
    notes: { sentBytes: 0 },
    crossOriginHeaders: {},
  }
  const answer = { status: 200, headers: { 'x-invalid': 'line\nbreak' }, content: { opened, length: 1 } }
  await expect(writeAnswer(exchange, answer, { closesConnection: false })).rejects.toThrow(message)
  expect(ended).toEqual(['read', 'object'])
})

/** An object whose blocks are all in one buffer, which is overwritten as soon as the next block is requested. */
function lentObject(blocks: readonly Buffer[], onEnd: () => void): OpenedObject {
  const buffer = Buffer.alloc(blocks[0]?.length ?? 0)
  return {
    version: undefined as never,
    source: 'cache',
    async *read() {
      try {
        for (const block of blocks) {
          block.copy(buffer)
          yield buffer
          buffer.fill(0)
        }
      } finally {
        onEnd()
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** Answers every request with the blocks. Resolves to the port. */
async function serve(
  blocks: readonly Buffer[],
  options: { idleMs: number; onEnd: (response: ServerResponse) => void; onDone(error?: Error): void },
) {
  const connections = new Connections({ max: 10, perClientMax: 10, stallMs: options.idleMs, answerBroken: () => '' })
  const server = createServer()
  connections.serve(server, (request, response) => {
    const wire = new WireBody(request, response, { bytesPerSecondMin: 1024, idleMs: options.idleMs, awaitsContinue: false })
    const common = {
      requestId: '',
      hostId: '',
      documentMs: options.idleMs,
      admitted: undefined,
      notes: { sentBytes: 0 },
      crossOriginHeaders: {},
    }
    const length = blocks.reduce((sum, block) => sum + block.length, 0)
    const content = { opened: lentObject(blocks, () => options.onEnd(response)), length }
    const answer = { status: 200, headers: { 'content-length': String(length) }, content }
    writeAnswer({ request, response, wire, ...common }, answer, { closesConnection: false }).then(
      () => options.onDone(),
      (error) => options.onDone(error),
    )
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a slow client gets the right bytes, although the memory of a block is used again when the next one is requested', async () => {
  const blocks = Array.from({ length: 12 }, () => randomBytes(512 * 1024))
  const done = Promise.withResolvers<void>()
  const port = await serve(blocks, { idleMs: 60_000, onEnd: () => {}, onDone: (error) => (error ? done.reject(error) : done.resolve()) })
  const socket = connect(port, '127.0.0.1').on('error', done.reject)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await once(socket, 'readable')
  const received: Buffer[] = []
  for await (const piece of socket) {
    received.push(piece)
    // Returns to the event loop, so that the server meets a full socket.
    await nextTurn()
  }
  await done.promise
  const bytes = Buffer.concat(received)
  expect(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4).equals(Buffer.concat(blocks))).toBe(true)
})

test('the connection of a client that reads nothing is closed before the memory of its block is used again', async () => {
  // More than the buffers of both sockets take.
  const blocks = Array.from({ length: 64 }, () => Buffer.alloc(512 * 1024, 7))
  const ended = Promise.withResolvers<boolean>()
  const done = Promise.withResolvers<Error | undefined>()
  const onEnd = (response: ServerResponse) => ended.resolve(response.destroyed && (response.socket?.destroyed ?? true))
  const port = await serve(blocks, { idleMs: 50, onEnd, onDone: done.resolve })
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await ended.promise).toBe(true)
  expect((await done.promise)?.message).toBe('the connection was closed before the client read the whole response')
  socket.destroy()
})
