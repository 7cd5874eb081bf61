import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { kernelErrors } from '../errors.ts'
import { defineEndpoint, serveEndpoint } from '../http/endpoint.ts'
import { defineRoutes } from '../http/routes.ts'
import { createLog, type LogLevel } from '../log/log.ts'
import { type } from '../schema.ts'
import {
  cheapPasswordHash,
  startTestListener,
  type TestListenerOptions,
  testAuthorization,
  testOperator,
} from '../testing/admin-listener.ts'
import { basicAuth } from '../testing/http.ts'
import type { AnsweredGroup } from './admin-listener.ts'

const rename = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/things/:id',
  summary: 'Rename a thing',
  params: type({ id: 'string' }),
  query: type({ 'version?': 'string' }),
  body: type({ 'name?': 'string', 'secret_note?': 'string', 'parts?': 'string[]' }),
  answer: type({ token: 'string', new_id: 'string' }),
  audit: ['version', 'name', 'parts', 'new_id', 'constructor'],
})

const preview = defineEndpoint({
  method: 'POST',
  path: '/api/v1/things/preview',
  role: 'operator',
  summary: 'Count what a change would touch',
  isLook: true,
})

const entered = Promise.withResolvers<void>()
const release = Promise.withResolvers<void>()

const group: AnsweredGroup = {
  answer: 'serve',
  services: {},
  group: defineRoutes({
    name: 'things',
    uses: {},
    register(app) {
      serveEndpoint(app, rename, async () => ({ token: 'hush-hush', new_id: 'n-1' }))
      serveEndpoint(app, preview, async () => ({}))
      app.get('/api/v1/things', async () => [])
      app.delete('/api/v1/things/:id', async () => {
        throw kernelErrors.service_unavailable()
      })
      app.post('/api/v1/slow', async () => {
        entered.resolve()
        await release.promise
        return {}
      })
    },
  }),
}

const hook: AnsweredGroup = {
  ...group,
  group: defineRoutes({ name: 'hook', access: 'open', uses: {}, register: (app) => void app.post('/hook', async () => ({})) }),
}

async function setUp(options: TestListenerOptions = {}, level: LogLevel = 'info') {
  const text: string[] = []
  const log = createLog({ level, format: 'json', secrets: [], write: (line) => text.push(line) })
  const listener = await startTestListener({ routes: [group, hook], log, ...options })
  const audit = () =>
    text
      .map((line) => JSON.parse(line))
      .filter((line) => line.in === 'audit')
      .map(({ level: _level, time: _time, in: _in, ...fields }) => fields)
  const send = (method: string, path: string, { body, headers }: { body?: object; headers?: Record<string, string> } = {}) =>
    fetch(listener.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
  /** A line is written when the connection is done with its answer, which is after the client has it. */
  const linesOf = async (msg: string, count = 1) => {
    await expect.poll(() => audit().filter((line) => line.msg === msg).length).toBe(count)
    return audit().filter((line) => line.msg === msg)
  }
  return { url: listener.url, audit, send, linesOf, text, [Symbol.asyncDispose]: () => listener.stop() }
}

const operator = { authorization: testAuthorization }
const here = '127.0.0.1'

test('I-35: a change is logged with user, sign-in, address, route, ids and status, without bodies and secrets', async () => {
  await using svc = await setUp()
  const body = { name: 'new name', secret_note: 'do not tell', parts: ['a'] }
  expect((await svc.send('PUT', '/api/v1/things/7?version=v2&stray=x', { body, headers: operator })).status).toBe(200)
  expect(await svc.linesOf('change')).toEqual([
    {
      msg: 'change',
      by: 'admin',
      how: 'basic',
      client: here,
      method: 'PUT',
      route: '/api/v1/things/:id',
      subject: { id: '7', version: 'v2', name: 'new name', new_id: 'n-1' },
      status: 200,
    },
  ])
  for (const secret of ['do not tell', 'hush-hush', testOperator.password, testAuthorization]) expect(svc.text.join()).not.toContain(secret)
})

test('I-35: the log level omits no line of the audit log', async () => {
  await using svc = await setUp({}, 'error')
  await svc.send('DELETE', '/api/v1/things/9', { headers: operator })
  await svc.linesOf('change')
  expect(svc.audit().map(({ msg }) => msg)).toEqual(['sign-in', 'change'])
})

test('I-35: refused and failed changes are logged too, reads and open routes are not', async () => {
  await using svc = await setUp()
  await svc.send('GET', '/api/v1/things', { headers: operator })
  await svc.send('POST', '/hook')
  await svc.send('PUT', '/api/v1/things/8', { body: { unknown: 1 }, headers: operator })
  await svc.send('DELETE', '/api/v1/things/9', { headers: operator })
  expect(await svc.linesOf('change', 2)).toMatchObject([
    { method: 'PUT', subject: { id: '8' }, status: 400 },
    { method: 'DELETE', route: '/api/v1/things/:id', subject: { id: '9' }, status: 503 },
  ])
})

test('I-35: an endpoint that only looks is no change, and its refusals are logged', async () => {
  await using svc = await setUp()
  const path = '/api/v1/things/preview'
  expect((await svc.send('POST', path, { headers: operator })).status).toBe(200)
  expect((await svc.send('POST', path, { headers: { ...operator, origin: 'https://elsewhere.example' } })).status).toBe(403)
  expect(await svc.linesOf('request refused')).toMatchObject([{ code: 'cross_site_basic', route: path }])
  // The line of the later change is written after that of the look would be.
  await svc.send('DELETE', '/api/v1/things/9', { headers: operator })
  expect(await svc.linesOf('change')).toMatchObject([{ method: 'DELETE' }])
})

test('I-35: a change whose client disconnects before the answer is logged without a status', async () => {
  await using svc = await setUp()
  const { hostname, port } = new URL(svc.url)
  const socket = connect(Number(port), hostname)
  socket.write(`POST /api/v1/slow HTTP/1.1\r\nHost: x\r\nAuthorization: ${testAuthorization}\r\nContent-Length: 0\r\n\r\n`)
  await entered.promise
  socket.destroy()
  await once(socket, 'close')
  const [line] = await svc.linesOf('change')
  expect(line).toMatchObject({ by: 'admin', method: 'POST', route: '/api/v1/slow' })
  expect(line).not.toHaveProperty('status')
  release.resolve()
})

test('I-35: every sign-in is logged with its outcome, and so is the block after wrong ones', async () => {
  await using svc = await setUp()
  const login = (username: string, password: string) => svc.send('POST', '/api/v1/auth/login', { body: { username, password } })
  await login(testOperator.username, testOperator.password)
  await svc.send('GET', '/api/v1/things', { headers: operator })
  // Cached credentials: no sign-in is logged.
  await svc.send('GET', '/api/v1/things', { headers: operator })
  await login('my password by mistake', 'guess')
  for (let n = 0; n < 4; n++) await svc.send('GET', '/api/v1/things', { headers: { authorization: basicAuth('admin', `guess ${n}`) } })
  // A blocked client cannot fill the log.
  for (let n = 0; n < 9; n++) await login(testOperator.username, testOperator.password)
  expect(svc.audit()).toEqual([
    { msg: 'sign-in', outcome: 'accepted', how: 'form', by: 'admin', client: here },
    { msg: 'sign-in', outcome: 'accepted', how: 'basic', by: 'admin', client: here },
    { msg: 'sign-in', outcome: 'refused', how: 'form', client: here },
    ...Array.from({ length: 3 }, () => ({ msg: 'sign-in', outcome: 'refused', how: 'basic', by: 'admin', client: here })),
    { msg: 'client blocked', client: here, failures: 5, seconds: 60 },
    { msg: 'sign-in', outcome: 'refused', how: 'basic', by: 'admin', client: here },
    { msg: 'sign-in', outcome: 'blocked', how: 'form', by: 'admin', client: here, attempts: 1 },
  ])
  for (const secret of ['guess', 'mistake', testOperator.password]) expect(svc.text.join()).not.toContain(secret)
})

test('I-35: requests without a CSRF token and from other sites are logged with the user of their session', async () => {
  await using svc = await setUp()
  const login = await svc.send('POST', '/api/v1/auth/login', { body: testOperator })
  const cookie = (login.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
  const { csrf_token: token } = (await login.json()) as { csrf_token: string }
  await svc.send('DELETE', '/api/v1/things/7', { headers: { cookie } })
  await svc.send('DELETE', '/api/v1/things/7', { headers: { ...operator, origin: 'https://elsewhere.example' } })
  await svc.send('DELETE', '/api/v1/nothing', { headers: { cookie, 'x-svc-csrf': 'wrong' } })
  await svc.send('POST', '/api/v1/auth/login', { body: testOperator, headers: { origin: 'https://elsewhere.example' } })
  expect(await svc.linesOf('request refused', 4)).toEqual([
    {
      msg: 'request refused',
      code: 'csrf_required',
      by: 'admin',
      how: 'session',
      client: here,
      method: 'DELETE',
      route: '/api/v1/things/:id',
    },
    { msg: 'request refused', code: 'cross_site_basic', how: 'none', client: here, method: 'DELETE', route: '/api/v1/things/:id' },
    { msg: 'request refused', code: 'csrf_required', by: 'admin', how: 'session', client: here, method: 'DELETE', route: '/api/*' },
    { msg: 'request refused', code: 'cross_site_refused', how: 'none', client: here, method: 'POST', route: '/api/v1/auth/login' },
  ])
  await svc.send('POST', '/api/v1/auth/logout', { headers: { cookie, 'x-svc-csrf': token } })
  expect(await svc.linesOf('change')).toMatchObject([{ by: 'admin', how: 'session', route: '/api/v1/auth/logout', status: 204 }])
  for (const secret of [token, cookie]) expect(svc.text.join()).not.toContain(secret)
})

test('I-35: without authentication changes and refusals are logged, and each start warns', async () => {
  const auth = {
    enabled: false,
    username: 'admin',
    password_hash: await cheapPasswordHash(),
    session_secret: 's'.repeat(32),
    session_ttl: 60_000,
  }
  await using svc = await setUp({ auth })
  expect(svc.text.join()).toMatch(/"level":"warn".*authentication is off/)
  expect((await svc.send('PUT', '/api/v1/things/7', { body: {} })).status).toBe(200)
  expect((await svc.send('PUT', '/api/v1/things/8', { body: {}, headers: { origin: 'http://elsewhere.example' } })).status).toBe(403)
  expect(await svc.linesOf('change')).toMatchObject([{ how: 'none', subject: { id: '7' }, status: 200 }])
  expect(await svc.linesOf('request refused')).toMatchObject([{ code: 'cross_site_refused', how: 'none' }])
})
