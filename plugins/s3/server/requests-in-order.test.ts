import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type SignedRequestOptions, signedRequest } from '../testing/signed-request.ts'
import { owner, startTestServer } from '../testing/test-server.ts'

async function openGateway(max_requests = 50) {
  const server = await startTestServer({ server: { max_requests } })
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const raw = (request: Omit<SignedRequestOptions, 'user'>): Buffer => {
    const { head, body } = signedRequest(server.port, { ...request, user: owner })
    return Buffer.concat([Buffer.from(head), Buffer.from(body)])
  }
  return { server, raw, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Collects responses; `count` resolves when that many arrived. */
function collect(socket: Socket) {
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]))
  return {
    statuses,
    text: () => received,
    count: (count: number) => expect.poll(() => statuses().length, { timeout: 10_000, interval: 5 }).toBe(count),
  }
}

const body = (letter: string) => Buffer.alloc(200, letter)

test('a GET that follows a PUT of its key on one connection reads the new object', async () => {
  await using gateway = await openGateway()
  const { server, raw } = gateway
  for (let round = 0; round < 30; round += 1) {
    const socket = connect(server.port, '127.0.0.1')
    const answers = collect(socket)
    const url = `/photos/key-${round}`
    socket.write(Buffer.concat([raw({ method: 'PUT', url, body: body('x') }), raw({ method: 'GET', url })]))
    await answers.count(2)
    expect(answers.statuses()).toEqual([200, 200])
    socket.destroy()
  }
})

test('of three PUTs of one key on one connection the last wins, whatever their sizes', async () => {
  await using gateway = await openGateway()
  const { server, raw } = gateway
  const url = '/photos/key'
  const puts = [Buffer.alloc(300_000, 'a'), body('b'), Buffer.alloc(1000, 'c')].map((content) => raw({ method: 'PUT', url, body: content }))
  const socket = connect(server.port, '127.0.0.1')
  const answers = collect(socket)
  socket.write(Buffer.concat(puts))
  await answers.count(3)
  expect((await server.storage.versionsOf('photos', 'key')).map(({ size }) => size)).toEqual([300_000, 200, 1000])
  socket.destroy()
})

test('a client that closes its side after its last request gets every response', async () => {
  await using gateway = await openGateway()
  const { server, raw } = gateway
  const large = Buffer.alloc(16 * 1024 * 1024, 'l')
  await server.send({ method: 'PUT', url: '/photos/large', body: large, user: owner })
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  const answers = collect(socket)
  const url = '/photos/key'
  socket.end(
    Buffer.concat([
      raw({ method: 'GET', url: '/photos/large' }),
      raw({ method: 'PUT', url, body: body('x') }),
      raw({ method: 'GET', url }),
    ]),
  )
  await once(socket, 'close')
  expect(answers.statuses()).toEqual([200, 200, 200])
  expect(answers.text().length).toBeGreaterThan(large.length)
  expect(answers.text()).toMatch(/x{200}$/)
})

test('a client that disconnects between its requests leaves nothing open, and others are served', async () => {
  // A request that stayed counted would be the only one allowed.
  await using gateway = await openGateway(1)
  const { server, raw } = gateway
  await server.send({ method: 'PUT', url: '/photos/large', body: Buffer.alloc(16 * 1024 * 1024), user: owner })
  const socket = connect(server.port, '127.0.0.1')
  const get = raw({ method: 'GET', url: '/photos/large' })
  socket.write(Buffer.concat([get, raw({ method: 'PUT', url: '/photos/after', body: body('x') }), get]))
  await once(socket, 'data')
  socket.resetAndDestroy()
  await expect.poll(() => server.storage.openCount()).toBe(0)
  expect(await server.send({ method: 'GET', url: '/', user: owner })).toMatchObject({ status: 200 })
  expect(await server.storage.versionsOf('photos', 'after')).toEqual([])
})

test('a rejected request does not stop those that follow it', async () => {
  await using gateway = await openGateway()
  const { server, raw } = gateway
  const socket = connect(server.port, '127.0.0.1')
  const answers = collect(socket)
  const tooSmall = raw({ method: 'PUT', url: '/photos/key', body: 'small' })
  socket.write(Buffer.concat([tooSmall, raw({ method: 'GET', url: '/photos/key' }), raw({ method: 'GET', url: '/' })]))
  await answers.count(3)
  expect(answers.statuses()).toEqual([400, 404, 200])
  socket.destroy()
})

test('a request that follows one whose answer closes the connection is not run', async () => {
  await using gateway = await openGateway()
  const { server, raw } = gateway
  const socket = connect(server.port, '127.0.0.1')
  const answers = collect(socket)
  const tooLarge = raw({ method: 'PUT', url: '/photos?versioning', body: Buffer.alloc(70_000, ' ') })
  socket.write(Buffer.concat([tooLarge, raw({ method: 'PUT', url: '/photos/after', body: body('x') })]))
  await once(socket, 'close')
  expect(answers.statuses()).toEqual([400])
  expect(answers.text()).toMatch(/connection: close/i)
  expect(await server.send({ method: 'GET', url: '/photos/after', user: owner })).toMatchObject({ status: 404 })
})
