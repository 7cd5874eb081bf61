import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type SignedRequestOptions, signedRequest } from '../testing/signed-request.ts'
import { owner, startTestServer } from '../testing/test-server.ts'
import { encodeForm, signForm } from '../testing/upload-form.ts'

type Options = NonNullable<Parameters<typeof startTestServer>[0]>

async function startServer(options: Options) {
  const server = await startTestServer(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const open = (text: string | Buffer, localAddress = '127.0.0.2') => {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    let received = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      received += piece
    })
    socket.write(text)
    return { socket, text: () => received }
  }
  const signed = (request: Omit<SignedRequestOptions, 'user'>) => signedRequest(server.port, { ...request, user: owner })
  return { ...server, open, signed, list: () => server.send({ method: 'GET', url: '/photos', user: owner }) }
}

const formHead = (length: number) =>
  `POST /photos HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n--b\r\n`

const refused = (code: string) => new RegExp(`^HTTP/1.1 \\d+ [\\s\\S]*<Code>${code}</Code>`)

test('I-41: forms that do not arrive leave places for signed requests, and each client has a share of theirs', async () => {
  const server = await startServer({ server: { max_requests: 16, max_connections: 80, max_connections_per_client: 20 } })
  const forms = Array.from({ length: 16 }, (_, number) => server.open(formHead(1000), `127.0.0.${2 + (number % 2)}`))
  // Four forms are accepted, two of each client.
  await expect.poll(() => forms.filter(({ text }) => refused('SlowDown').test(text())).length).toBe(12)
  await Promise.all(Array.from({ length: 12 }, async () => expect(await server.list()).toMatchObject({ status: 200 })))
  for (const { socket } of forms) socket.destroy()
  const { body, headers } = encodeForm(signForm({ user: owner, fields: { key: 'form' }, bucket: 'photos' }), { bytes: 'x'.repeat(200) })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const send = () => server.sendRaw(`POST /photos HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`, body)
  await expect.poll(async () => (await send()).status).toBe(204)
})

test('the fields of a form have a deadline, however they arrive', async () => {
  const server = await startServer({ limits: { formFieldsMs: 100 } })
  const { socket, text } = server.open(formHead(60_000))
  const timer = setInterval(() => socket.write('x'), 10)
  await once(socket, 'end')
  clearInterval(timer)
  expect(text()).toMatch(refused('RequestTimeout'))
  expect(text()).toMatch(/connection: close/i)
})

test('a body below the minimum rate is refused although it never pauses', async () => {
  const server = await startServer({ settings: { body_idle_timeout: 200 } })
  const { head } = server.signed({
    method: 'PUT',
    url: '/photos/key',
    payload: 'UNSIGNED-PAYLOAD',
    unsignedHeaders: { 'content-length': '100000' },
  })
  const { socket, text } = server.open(head)
  const timer = setInterval(() => socket.write('x'), 10)
  await once(socket, 'end')
  clearInterval(timer)
  expect(text()).toMatch(refused('RequestTimeout'))
  expect(await server.storage.versionsOf('photos', 'key')).toEqual([])
})

test('I-41: one client has at most its share of the running requests', async () => {
  const server = await startServer({ server: { max_requests: 8, max_connections_per_client: 20 } })
  const running: Socket[] = []
  for (let number = 0; number < 4; number++) {
    const { head } = server.signed({
      method: 'PUT',
      url: `/photos/${number}`,
      unsignedHeaders: { expect: '100-continue', 'content-length': '200' },
    })
    const { socket, text } = server.open(head)
    await expect.poll(text).toMatch(/100 Continue/)
    running.push(socket)
  }
  const { head } = server.signed({ method: 'GET', url: '/photos' })
  const fifth = server.open(head)
  await expect.poll(fifth.text).toMatch(refused('SlowDown'))
  expect(await server.list()).toMatchObject({ status: 200 })
  running[0]?.destroy()
  await expect
    .poll(async () => {
      const again = server.open(head)
      await once(again.socket, 'data')
      return again.text()
    })
    .toMatch(/^HTTP\/1.1 200 /)
})

test('I-41: one user has at most its share of the running requests, also from several addresses', async () => {
  const server = await startServer({ server: { max_requests: 8 } })
  const put = (number: number) => {
    const { head } = server.signed({
      method: 'PUT',
      url: `/photos/${number}`,
      unsignedHeaders: { expect: '100-continue', 'content-length': '200' },
    })
    return server.open(head, `127.0.0.${2 + (number % 2)}`)
  }
  const running = Array.from({ length: 6 }, (_, number) => put(number))
  for (const { text } of running) await expect.poll(text).toMatch(/100 Continue/)
  expect(await server.list()).toMatchObject({ status: 503 })
  running[0]?.socket.destroy()
  await expect.poll(async () => (await server.list()).status).toBe(200)
})

test('the rest of a body that was refused in its middle does not hold up the next request of its connection', async () => {
  const server = await startServer({})
  const names = ['key', 'x-amz-algorithm', 'x-amz-credential', 'x-amz-date']
  const conditions = [...names.map((name) => ['starts-with', `$${name}`, '']), { bucket: 'photos' }, ['content-length-range', 0, 1000]]
  const policy = { expiration: new Date(Date.now() + 600_000).toISOString(), conditions }
  const form = signForm({ user: owner, fields: { key: 'form' }, policy, bucket: 'photos' })
  const { body, headers } = encodeForm(form, { bytes: 'x'.repeat(500_000) })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const { socket, text } = server.open(`POST /photos HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`)
  socket.write(body)
  socket.write(server.signed({ method: 'GET', url: '/photos' }).head)
  await expect.poll(text).toMatch(refused('EntityTooLarge'))
  await expect.poll(text).toMatch(/HTTP\/1.1 200 /)
})

test('a refused request whose body does not arrive has no place', async () => {
  const server = await startServer({ server: { max_requests: 1 } })
  const { text } = server.open('PUT /photos/key HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n')
  await expect.poll(text).toMatch(refused('AccessDenied'))
  expect(await server.list()).toMatchObject({ status: 200 })
  // The body is too long to be read for the next request: the connection closes, but waits until the client has read the answer.
  const long = server.open('PUT /photos/key HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n')
  await expect.poll(long.text).toMatch(refused('AccessDenied'))
  expect(await server.list()).toMatchObject({ status: 200 })
})

test('a body in another coding than chunked is refused, not stored as it is encoded', async () => {
  const server = await startServer({})
  for (const coding of ['gzip, chunked', 'gzip', 'identity', 'chunked;q=1']) {
    const { head } = server.signed({
      method: 'PUT',
      url: '/photos/key',
      payload: 'UNSIGNED-PAYLOAD',
      unsignedHeaders: { 'transfer-encoding': coding },
    })
    const { socket, text } = server.open(`${head}c8\r\n${'x'.repeat(200)}\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'end')
    expect(text()).toMatch(/^HTTP\/1.1 (501|400) [\s\S]*connection: close/i)
    expect(text().match(/HTTP\/1.1/g)).toHaveLength(1)
    if (coding === 'gzip, chunked') expect(text()).toMatch(refused('NotImplemented'))
  }
  const { head } = server.signed({
    method: 'PUT',
    url: '/photos/key',
    payload: 'UNSIGNED-PAYLOAD',
    unsignedHeaders: { 'transfer-encoding': 'Chunked' },
  })
  const { text } = server.open(`${head}c8\r\n${'x'.repeat(200)}\r\n0\r\n\r\n`)
  await expect.poll(text).toMatch(/^HTTP\/1.1 200 /)
  expect(await server.storage.versionsOf('photos', 'key')).toHaveLength(1)
})
