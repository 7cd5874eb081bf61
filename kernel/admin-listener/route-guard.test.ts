import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { configSections, defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'
import { definePlugin } from '../core/plugin.ts'
import { kernelErrors } from '../errors.ts'
import { defineEndpoint, serveEndpoint } from '../http/endpoint.ts'
import { defineRoutes } from '../http/routes.ts'
import { createLog } from '../log/log.ts'
import { type } from '../schema.ts'
import { startTestListener, testAuthorization } from '../testing/admin-listener.ts'
import { testKernel } from '../testing/test-kernel.ts'
import type { AnsweredGroup } from './admin-listener.ts'
import { defineRouteGuard, type GuardedRoute, routeGuards } from './route-guard.ts'

const makeThing = defineEndpoint({ method: 'POST', path: '/api/v1/things', summary: 'Make a thing', body: type({ name: 'string' }) })
const headers = { authorization: testAuthorization }
let served = 0

const things: AnsweredGroup = {
  answer: 'serve',
  services: {},
  group: defineRoutes({
    name: 'things',
    uses: {},
    register(app) {
      app.get('/api/v1/things/:id', async () => ({ served: ++served }))
      app.post('/api/v1/things/:id', async () => ({ served: ++served }))
      serveEndpoint(app, makeThing, async () => ({ served: ++served }), { isRepeat: async ({ body }) => body.name === 'made before' })
    },
  }),
}

async function setUp(check: Parameters<typeof defineRouteGuard>[0]['check']) {
  const lines: string[] = []
  const log = createLog({ level: 'info', format: 'json', secrets: [], write: (line) => lines.push(line) })
  const item = defineRouteGuard({ name: 'test', uses: {}, check })
  const listener = await startTestListener({ routes: [things], guards: [{ item, services: {} }], log })
  return { ...listener, logged: () => lines.map((line) => JSON.parse(line)), [Symbol.asyncDispose]: () => listener.stop() }
}

test('a guard sees who asks, and the access and pattern of the route, and only admitted requests', async () => {
  const seen: GuardedRoute[] = []
  await using listener = await setUp((request) => {
    seen.push(request)
    return undefined
  })
  await listener.inject({ url: '/api/v1/things/7?deep=1', headers })
  await listener.inject({ url: '/healthz' })
  await listener.inject({ url: '/api/v1/nothing', headers })
  expect((await listener.inject({ url: '/api/v1/things/7' })).statusCode).toBe(401)
  expect(seen).toMatchObject([
    { identity: { kind: 'basic' }, access: 'operator', method: 'GET', path: '/api/v1/things/7', route: '/api/v1/things/:id' },
    { identity: { kind: 'anonymous' }, access: 'open', route: '/healthz' },
    { identity: { kind: 'basic' }, access: 'operator', path: '/api/v1/nothing', route: undefined },
  ])
})

test('a refusal reaches the client with the security headers, stops the route and is audited', async () => {
  await using listener = await setUp(({ method }) => {
    if (method === 'POST') throw kernelErrors.service_unavailable()
    return undefined
  })
  const before = served
  const answer = await listener.inject({ method: 'POST', url: '/api/v1/things/7', headers })
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toMatchObject({ code: 'service_unavailable' })
  expect(answer.headers['x-frame-options']).toBe('DENY')
  expect(served).toBe(before)
  await expect.poll(() => listener.logged().filter((line) => line.msg === 'change')).toMatchObject([{ status: 503 }])
  expect((await listener.inject({ url: '/api/v1/things/7', headers })).statusCode).toBe(200)
})

test('I-35: a change whose client leaves during a guard is not made', async () => {
  const [entered, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using listener = await setUp(async ({ path }) => {
    if (path !== '/api/v1/things/7') return undefined
    entered.resolve()
    await opened.promise
    return undefined
  })
  const { hostname, port } = new URL(listener.url)
  const client = connect(Number(port), hostname)
  client.write(
    `POST /api/v1/things/7 HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${testAuthorization}\r\ncontent-length: 0\r\n\r\n`,
  )
  await entered.promise
  client.destroy()
  await expect.poll(() => listener.logged().filter((line) => line.msg === 'change')).toHaveLength(1)
  const before = served
  opened.resolve()
  await listener.inject({ url: '/api/v1/things/8', headers })
  expect(served).toBe(before + 1)
})

test('a returned refusal is passed only by a repeat that the endpoint has on record', async () => {
  await using listener = await setUp(() => kernelErrors.service_unavailable())
  const make = async (name: string) =>
    (await listener.inject({ method: 'POST', url: '/api/v1/things', headers, payload: { name } })).statusCode
  const before = served
  expect([await make('new'), await make('made before')]).toEqual([503, 200])
  // This route knows no repeats.
  expect((await listener.inject({ method: 'POST', url: '/api/v1/things/7', headers })).statusCode).toBe(503)
  expect(served).toBe(before + 1)
})

test('a header that a guard reads is refused when it was sent twice', async () => {
  await using listener = await setUp(({ header }) => {
    header('svc-test')
    return undefined
  })
  const answerTo = async (...lines: string[]) => {
    const { hostname, port } = new URL(listener.url)
    const client = connect(Number(port), hostname)
    const head = ['GET /api/v1/things/7 HTTP/1.1', `host: ${hostname}:${port}`, `authorization: ${testAuthorization}`, 'connection: close']
    client.write(`${[...head, ...lines].join('\r\n')}\r\n\r\n`)
    return (await client.toArray()).join('')
  }
  expect(await answerTo('svc-test: a')).toMatch(/^HTTP\/1.1 200 /)
  const refused = await answerTo('svc-test: a', 'svc-test: a')
  expect(refused).toMatch(/^HTTP\/1.1 400 /)
  expect(refused).toContain('Duplicate header: svc-test. Send it once.')
})

test('a guard that fails refuses the request and the reason is logged', async () => {
  await using listener = await setUp(() => {
    throw new Error('guard is broken')
  })
  const answer = await listener.inject({ url: '/api/v1/things/7', headers })
  expect(answer.statusCode).toBe(500)
  expect(answer.body).toBe('{"error":"internal"}')
  expect(JSON.stringify(listener.logged())).toContain('guard is broken')
})

test('I-11: in setup mode no guard runs', async () => {
  const guard = defineRouteGuard({
    name: 'all',
    uses: {},
    check: () => {
      throw kernelErrors.service_unavailable()
    },
  })
  const key = defineSection('chain', {
    doc: 'Keys.',
    keys: { private_key: setting.secret({ label: 'Key', doc: 'The key.', required: true }) },
  })
  const guarding = definePlugin({ id: 'guarding', contributes: [routeGuards.with(guard), configSections.with(key)] })
  const healthWith = async (config: Record<string, string>) => {
    await using svc = await testKernel({ plugins: [guarding], config })
    return await svc.call('GET', '/healthz')
  }
  expect(await healthWith({})).toMatchObject({ status: 200, body: { status: 'setup' } })
  expect(await healthWith({ 'chain.private_key': 'k' })).toMatchObject({ status: 503, body: { code: 'service_unavailable' } })
})
