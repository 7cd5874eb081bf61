import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { RawConnection } from './raw-connection.ts'

/** A server that answers the n-th request of a connection with the chunks of the n-th answer. */
async function startAnswering(...answers: readonly (readonly string[])[]) {
  const server = createServer((socket) => {
    let asked = 0
    socket.setNoDelay().on('error', () => socket.destroy())
    socket.on('data', async () => {
      for (const piece of answers[asked++] ?? []) await new Promise((sent) => socket.write(piece, sent))
      if (asked > answers.length) socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = await RawConnection.open((server.address() as AddressInfo).port)
  return {
    connection,
    [Symbol.asyncDispose]: async () => {
      connection[Symbol.dispose]()
      server.close()
      await once(server, 'close')
    },
  }
}

const request = [Buffer.from('GET / HTTP/1.1\r\n'), Buffer.from('\r\n')]

test('answers are separated by Content-Length, however they are chunked', async () => {
  await using server = await startAnswering(
    ['HTTP/1.1 200 OK\r\nConte', 'nt-Length: 5\r\n\r\nhe', 'llo'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
  )
  const pieces: string[] = []
  await server.connection.exchange(request, { bodyBytes: 5, onBody: (piece) => pieces.push(piece.toString()) })
  await server.connection.exchange(request, { bodyBytes: 0 })
  expect(pieces.join('')).toBe('hello')
})

test.each([
  ['another status, with the body in the message', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno', 'status 403: no'],
  ['a body of another length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno', '2 bytes instead of 3'],
  ['more bytes than announced', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nnone', 'longer than its Content-Length'],
  ['no length', 'HTTP/1.1 200 OK\r\n\r\n', 'no Content-Length'],
])('an answer is refused for %s', async (_name, answer, message) => {
  await using server = await startAnswering([answer])
  await expect(server.connection.exchange(request, { bodyBytes: 3 })).rejects.toThrow(message)
})

test('a connection closed by the server fails the pending request', async () => {
  await using server = await startAnswering()
  await expect(server.connection.exchange(request)).rejects.toThrow('closed the connection')
})
