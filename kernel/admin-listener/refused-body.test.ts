import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { defineRoutes } from '../http/routes.ts'
import { startTestListener, testAuthorization } from '../testing/admin-listener.ts'

const drainedMax = 1_048_576
/** Bytes that sockets and the parser may buffer. */
const inFlightMax = 8 * 1_048_576
const endlessMax = 256 * 1_048_576

const group = defineRoutes({
  name: 'things',
  uses: {},
  register(app) {
    app.post('/api/v1/things', async () => ({}))
    app.post('/open', async () => ({}))
  },
})

/** Sends a head and then bytes until the server ends the connection; resolves with the answer and how many bytes it took. */
async function pour(url: string, head: readonly string[], bytesMax: number) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text
  })
  let isOpen = true
  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOpen = false
      resolve()
    })
  })
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const chunk = Buffer.alloc(65_536)
  let sent = 0
  while (isOpen && sent < bytesMax) {
    sent += chunk.length
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), ended])
  }
  return { answer: () => answer, sent, socket, isOpen: () => isOpen }
}

test.each([
  ['a client without credentials', 401, []],
  ['the operator, to a route that reads no body', 200, [`Authorization: ${testAuthorization}`]],
])('an endless body from %s is answered and the connection closed, not drained', async (_who, status, lines) => {
  await using listener = await startTestListener({ routes: [{ group, services: {}, answer: 'serve' }] })
  const head = ['POST /api/v1/things HTTP/1.1', 'Host: svc', ...lines, `Content-Length: ${2 ** 40}`]
  const { sent, answer } = await pour(listener.url, head, endlessMax)
  expect(sent).toBeLessThan(drainedMax + inFlightMax)
  expect(answer()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
})

test('a short unread body leaves the connection usable', async () => {
  await using listener = await startTestListener({ routes: [{ group, services: {}, answer: 'serve' }] })
  const bytes = drainedMax / 2
  const { socket, answer } = await pour(listener.url, ['POST /api/v1/things HTTP/1.1', 'Host: svc', `Content-Length: ${bytes}`], bytes)
  await expect.poll(answer).toMatch(/^HTTP\/1\.1 401 /)
  socket.write('GET /healthz HTTP/1.1\r\nHost: svc\r\n\r\n')
  await expect.poll(answer).toMatch(/HTTP\/1\.1 401 [\s\S]*HTTP\/1\.1 200 /)
  socket.destroy()
})
