import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { kernelErrors } from '../errors.ts'
import { parseBody } from '../http/body.ts'
import { defineRoutes } from '../http/routes.ts'
import { createLog } from '../log/log.ts'
import { type } from '../schema.ts'
import { startTestListener, testAuthorization } from '../testing/admin-listener.ts'
import { sendRaw } from '../testing/http.ts'
import type { AnsweredGroup } from './admin-listener.ts'
import { requestIdentity } from './identity.ts'

const headers = { authorization: testAuthorization }

const group: AnsweredGroup = {
  answer: 'serve',
  services: {},
  group: defineRoutes({
    name: 'things',
    uses: {},
    register(app) {
      app.get('/api/v1/things', async (request) => ({ by: requestIdentity(request) }))
      app.post('/api/v1/things', async (request) => parseBody(type({ name: 'string' }), request))
      app.post('/api/v1/raw', async (request) => {
        let bytes = 0
        for await (const chunk of request.raw) bytes += chunk.length
        return { bytes, type: request.headers['content-type'] }
      })
      app.get('/api/v1/refused', async () => {
        throw kernelErrors.service_unavailable({ retryAfterSeconds: 7, fields: [{ field: 'a.b', message: 'is wrong' }] })
      })
      app.get('/api/v1/broken', async () => {
        throw new Error('secret detail', { cause: new Error('deeper') })
      })
      app.get('/api/v1/slow', { config: { deadlineMs: 50 } }, () => new Promise(() => {}))
      app.post('/api/v1/slow', { config: { deadlineMs: 50 } }, async (request) => parseBody(type({}), request))
    },
  }),
}

const metricsGroup: AnsweredGroup = {
  answer: 'serve',
  services: {},
  group: defineRoutes({ name: 'metrics', uses: {}, register: (app) => void app.get('/metrics', async () => 'up 1') }),
}

const shellGroup: AnsweredGroup = {
  answer: 'serve',
  services: {},
  group: defineRoutes({
    name: 'shell',
    access: 'open',
    uses: {},
    register: (app) => void app.get('/*', async (_request, reply) => reply.type('text/html').send('<p>shell</p>')),
  }),
}

const closedGroup = (answer: AnsweredGroup['answer']): AnsweredGroup => ({
  answer,
  services: {},
  group: defineRoutes({
    name: 'closed',
    uses: {},
    register(app, services) {
      app.addHook('preHandler', async () => void (services as { wallet: { unlock(): void } }).wallet.unlock())
      app.get('/api/v1/wallet', async () => (services as { wallet: { read(): object } }).wallet.read())
      app.post('/api/v1/wallet/fund', async () => (services as { wallet: { fund(): object } }).wallet.fund())
    },
  }),
})

const secured = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
}

test.each([
  ['a served answer', '/api/v1/things', { headers }, 200, true],
  ['a refusal', '/api/v1/refused', { headers }, 503, true],
  ['a fault', '/api/v1/broken', { headers }, 500, true],
  ['an unknown address of the API', '/api/v1/nothing', { headers }, 404, true],
  ['an unknown address outside v1', '/api/other', { headers }, 404, true],
  ['an unknown address outside v1 without sign-in', '/api/other', {}, 401, true],
  ['a wrong method', '/api/v1/things', { headers, method: 'DELETE' }, 405, true],
  ['a missing sign-in', '/api/v1/things', {}, 401, true],
  ['a missing sign-in at an address that does not exist', '/admin/anything', {}, 401, true],
  ['an address that cannot be decoded', '/assets/%zz', {}, 400, false],
  ['an address of the API that cannot be decoded', '/api/v1/%zz', { headers }, 400, true],
  ['an address of the API that cannot be decoded, without sign-in', '/api/v1/%zz', {}, 401, true],
  ['a part of the address that is too long', `/api/v1/things/${'x'.repeat(2000)}`, { headers }, 404, true],
  ['health', '/healthz', {}, 200, true],
  ['the metrics without sign-in', '/metrics', {}, 401, true],
  ['the dashboard', '/buckets', {}, 200, false],
  ['an unknown address outside the API', '/buckets', { method: 'POST', body: 'x' }, 404, false],
] as const)('%s has the security headers, and no-store exactly on data', async (...[, path, init, status, isUncached]) => {
  await using listener = await startTestListener({ routes: [group, metricsGroup, shellGroup] })
  const response = await fetch(listener.url + path, init)
  expect(response.status).toBe(status)
  expect(Object.fromEntries(response.headers)).toMatchObject(secured)
  expect(response.headers.get('cache-control')).toBe(isUncached ? 'no-store' : null)
  expect(response.headers.get('www-authenticate')).toBeNull()
  if (status >= 400) expect(await response.json()).toHaveProperty('error')
})

test.each([
  ['https at a trusted proxy', ['127.0.0.1'], 'https', 'max-age=31536000'],
  ['http at a trusted proxy', ['127.0.0.1'], 'http', null],
  ['https claimed by an untrusted peer', [], 'https', null],
])('Strict-Transport-Security is sent only over https: %s', async (_what, trusted, proto, expected) => {
  await using listener = await startTestListener({ settings: { addr: '127.0.0.1:0', trusted_proxies: trusted } })
  for (const path of ['/healthz', '/api/v1/nothing', '/buckets']) {
    const response = await fetch(listener.url + path, { headers: { 'x-forwarded-proto': proto } })
    expect(response.headers.get('strict-transport-security')).toBe(expected)
  }
})

test('one client gets at most its share of the connections', async () => {
  await using listener = await startTestListener()
  const { hostname, port } = new URL(listener.url)
  const sockets = Array.from({ length: 300 }, () => connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' }))
  let ended = 0
  for (const socket of sockets)
    socket
      .on('error', () => {})
      .resume()
      .once('close', () => void ended++)
  await expect.poll(() => ended).toBe(300 - 256)
  expect((await fetch(`${listener.url}/healthz`)).status).toBe(200)
  for (const socket of sockets) socket.destroy()
})

test('refusals have code, fields and Retry-After; faults answer only `internal`', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', format: 'json', secrets: [], write: (line) => lines.push(line) })
  await using listener = await startTestListener({ routes: [group], log })
  const refused = await fetch(`${listener.url}/api/v1/refused`, { headers })
  expect(refused.headers.get('retry-after')).toBe('7')
  expect(await refused.json()).toEqual({
    error: 'This part of the service is not available now.',
    code: 'service_unavailable',
    fields: [{ field: 'a.b', message: 'is wrong' }],
  })
  const faults = () => lines.filter((line) => line.includes('"level":"error"'))
  expect(faults()).toEqual([])
  const broken = await fetch(`${listener.url}/api/v1/broken?key=private`, { headers })
  expect(broken.status).toBe(500)
  expect(await broken.text()).toBe('{"error":"internal"}')
  expect(JSON.parse(faults()[0] ?? '')).toMatchObject({ path: '/api/v1/broken', error: { message: 'secret detail <- deeper' } })
  expect(lines.join()).not.toContain('private')
})

test.each([
  ['setup_mode', 503],
  ['plugin_disabled', 404],
] as const)(
  'a group that is not served answers %s at each of its addresses, without using its services or the body',
  async (answer, status) => {
    await using listener = await startTestListener({ routes: [group, closedGroup(answer)] })
    for (const [path, init] of [
      ['/api/v1/wallet', { headers }],
      ['/api/v1/wallet', { headers, method: 'HEAD' }],
      ['/api/v1/wallet/fund', { headers, method: 'POST', body: 'not json' }],
    ] as const) {
      const response = await fetch(listener.url + path, init)
      expect(response.status).toBe(status)
      if (init.method !== 'HEAD') expect(await response.json()).toMatchObject({ code: answer })
    }
    expect((await fetch(`${listener.url}/api/v1/wallet`)).status).toBe(401)
    expect((await fetch(`${listener.url}/api/v1/things`, { headers })).status).toBe(200)
  },
)

test.each(['application/json', 'application/octet-stream', 'multipart/form-data; boundary=x', 'not a media type at all; ;;'])(
  'an upload route gets the bytes as they were sent, with Content-Type %s',
  async (mediaType) => {
    await using listener = await startTestListener({ routes: [group] })
    const body = new Uint8Array(300_000)
    const response = await fetch(`${listener.url}/api/v1/raw`, { method: 'POST', headers: { ...headers, 'content-type': mediaType }, body })
    expect(await response.json()).toEqual({ bytes: 300_000, type: mediaType })
  },
)

test('a slow handler is answered 503 and a slow body 408 at the deadline', async () => {
  await using listener = await startTestListener({ routes: [group] })
  const late = await fetch(`${listener.url}/api/v1/slow`, { headers })
  expect(late.status).toBe(503)
  expect(await late.json()).toMatchObject({ code: 'deadline_exceeded' })
  const half = await sendRaw(
    listener.url,
    `POST /api/v1/slow HTTP/1.1\r\nHost: x\r\nAuthorization: ${testAuthorization}\r\nContent-Length: 100\r\n\r\n{"a":`,
  )
  expect(half).toMatch(/^HTTP\/1\.1 408 .*request_timeout/s)
})

test.each([
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  ['something that is not HTTP', 'hello\r\n\r\n', 400],
  ['a request without Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
])('%s is refused in the common error format', async (_name, bytes, status) => {
  await using listener = await startTestListener({ routes: [group] })
  const answer = await sendRaw(listener.url, bytes)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answer.toLowerCase()).toContain("script-src 'self';")
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code: 'invalid_request' })
})

test('the error for an address in use names the address and the setting to change', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const addr = `127.0.0.1:${(other.address() as { port: number }).port}`
  try {
    await expect(startTestListener({ settings: { addr, trusted_proxies: [] } })).rejects.toThrow(
      `the address ${addr} is in use by another program; stop that program, or change admin.addr`,
    )
  } finally {
    await new Promise((resolve) => other.close(resolve))
  }
})

test.each([
  ['127.0.0.1:70000', 'cannot be used'],
  ['192.0.2.1:0', 'is not an address of this machine'],
])('the listen address %s is refused and named', async (addr, reason) => {
  await expect(startTestListener({ settings: { addr, trusted_proxies: [] } })).rejects.toThrow(`the address ${addr} ${reason}`)
})

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'))

test.each(['localhost:0', ':0', ...(hasIpv6 ? ['[::1]:0'] : [])])('listening on %s gives a reachable URL', async (addr) => {
  await using listener = await startTestListener({ settings: { addr, trusted_proxies: [] } })
  expect((await fetch(`${listener.url}/healthz`)).status).toBe(200)
})

test('no spelling of a protected address reaches its handler without credentials', async () => {
  await using listener = await startTestListener({ routes: [group, shellGroup] })
  const { hostname, port } = new URL(listener.url)
  const agent = new Agent({ keepAlive: true })
  const ask = (path: string) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const sent = request({ hostname, port, path, agent }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        response.on('end', () => resolve({ status: response.statusCode, body }))
      })
      sent.on('error', reject).end()
    })
  const percent = (char: string) => `%${char.charCodeAt(0).toString(16)}`
  const way = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('plain', 'escaped') },
    { weight: 1, arbitrary: fc.constantFrom('twice', 'dot', 'up', 'slash', 'upper') },
  )
  const spelled = fc.array(way, { minLength: 14, maxLength: 14 }).map((ways) =>
    [...'/api/v1/things']
      .map((char, i) => {
        const forms = {
          plain: char,
          escaped: percent(char),
          twice: `%25${percent(char).slice(1)}`,
          dot: char === '/' ? '/./' : char,
          up: char === '/' ? '/x/../' : char,
          slash: char === '/' ? '//' : char,
          upper: char.toUpperCase(),
        }
        return forms[ways[i] as keyof typeof forms]
      })
      .join(''),
  )
  const lead = fc.constantFrom('', 'http://svc.local', '/assets/..', '/%2e', '//svc.local')
  const tail = fc.constantFrom('', '?a=/assets', '/', '/.', ';x', '#x', '%00')
  const seen = new Set<number | undefined>()
  await fc.assert(
    fc.asyncProperty(lead, spelled, tail, async (before, path, after) => {
      const { status, body } = await ask(before + path + after)
      seen.add(status)
      expect(body).not.toContain('"by"')
    }),
    {
      numRuns: 300,
      examples: [
        ['http://svc.local', '/api/v1/things', ''],
        ['', '/%61pi/v1/things', ''],
      ],
    },
  )
  agent.destroy()
  expect(seen).toContain(401)
})

test.each([
  ['an upgrade', 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', 200],
  ['another coding', 'POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n', 400],
])('I-40: %s is answered, and nothing behind it is a request', async (_name, first, status) => {
  await using listener = await startTestListener({ routes: [group] })
  const answer = await sendRaw(listener.url, `${first}GET /api/v1/things HTTP/1.1\r\nHost: x\r\n\r\n`)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*connection: close`, 'i'))
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
})

test('a client that waits for 100 Continue sends its body', async () => {
  await using listener = await startTestListener({ routes: [group] })
  const { hostname, port } = new URL(listener.url)
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  socket.write(
    `POST /api/v1/raw HTTP/1.1\r\nHost: x\r\nAuthorization: ${testAuthorization}\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`,
  )
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 100 Continue/)
  socket.write('abc')
  expect(String(await once(socket, 'data'))).toContain('"bytes":3')
  socket.destroy()
})

test('an unknown Expect header is ignored', async () => {
  await using listener = await startTestListener()
  const answer = await sendRaw(listener.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer.toLowerCase()).toContain('x-frame-options: deny')
})

test('a stop waits for running requests and aborts those that exceed the limit', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let entered = () => {}
  const inside = new Promise<void>((resolve) => {
    entered = resolve
  })
  const waiting: AnsweredGroup = {
    answer: 'serve',
    services: {},
    group: defineRoutes({
      name: 'waiting',
      access: 'open',
      uses: {},
      register(app) {
        app.get('/held', async () => {
          entered()
          await held
          return { done: true }
        })
        app.get('/endless', () => new Promise(() => {}))
      },
    }),
  }
  const patient = await startTestListener({ routes: [waiting] })
  const answer = fetch(`${patient.url}/held`)
  await inside
  const stopped = patient.stop()
  release()
  expect(await (await answer).json()).toEqual({ done: true })
  await stopped
  await expect(fetch(`${patient.url}/healthz`)).rejects.toThrow()

  const strict = await startTestListener({ routes: [waiting], stopMs: 20 })
  const cut = expect(fetch(`${strict.url}/endless`)).rejects.toThrow()
  await fetch(`${strict.url}/healthz`)
  await strict.stop()
  await cut
})

test('a connection that never sent a request does not delay the stop', async () => {
  const listener = await startTestListener()
  const { hostname, port } = new URL(listener.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // An answered request on another connection: the server has seen both.
  await fetch(`${listener.url}/healthz`)
  const startedAt = performance.now()
  await listener.stop()
  expect(performance.now() - startedAt).toBeLessThan(2000)
  socket.destroy()
})

test('a route with its own JSON schema is refused at the start', async () => {
  const register: AnsweredGroup['group']['register'] = (app) =>
    void app.post('/api/v1/things', { schema: { body: { type: 'object' } } }, async () => ({}))
  const own: AnsweredGroup = { ...group, group: defineRoutes({ name: 'own-schema', uses: {}, register }) }
  await expect(startTestListener({ routes: [own] })).rejects.toThrow('check its input with parseBody, parseQuery and parseParams')
})

test('the error names a route group that cannot be registered', async () => {
  const bad = defineRoutes({
    name: 'bad',
    uses: {},
    register: () => {
      throw new Error('no such thing')
    },
  })
  await expect(startTestListener({ routes: [{ group: bad, services: {}, answer: 'serve' }] })).rejects.toThrow("routes 'bad'")
})
