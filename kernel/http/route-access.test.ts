import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import type { AnsweredGroup } from '../admin-listener/admin-listener.ts'
import { startTestListener, testAuthorization } from '../testing/admin-listener.ts'
import { sendRaw } from '../testing/http.ts'
import type { RouteAccess } from './route-access.ts'
import { defineRoutes, type RouteGroup } from './routes.ts'

const serve = (group: RouteGroup): AnsweredGroup => ({ answer: 'serve', services: {}, group })

const contributed = serve(
  defineRoutes({
    name: 'contributed',
    uses: {},
    register(app) {
      app.get('/x/secret', async () => 'secret')
      app.post('/x/secret', async () => 'secret')
      app.get('/x/deeper/:id', async () => 'secret')
      // A route's own declaration has no effect.
      app.get('/y', { config: { access: 'open' } }, async () => 'secret')
      app.register(async (inner) => void inner.get('/z/nested', { config: { access: 'open' } }, async () => 'secret'))
    },
  }),
)

/** A package written against another version could export this. */
const undeclared = serve({
  name: 'undeclared',
  modes: ['full'],
  uses: {},
  register: (app: FastifyInstance) => void app.get('/undeclared', async () => 'secret'),
} as unknown as RouteGroup)

const shell = serve(
  defineRoutes({
    name: 'shell',
    access: 'open',
    uses: {},
    register(app) {
      app.get('/*', async () => 'shell')
      app.get('/api/v1/hello', async () => 'open')
      app.get('/x/about', async () => 'open')
    },
  }),
)

const ask = async (url: string, line: string, ...headers: readonly string[]) => {
  const answer = await sendRaw(url, [`${line} HTTP/1.1`, 'Host: svc', ...headers, 'Connection: close', '', ''].join('\r\n'))
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  return `${answer.slice(9, 12)}${answer.startsWith('HTTP/1.1 200') ? ` ${body.split('\r\n').join('')}` : ''}`
}

test.each([
  ['GET /x/secret', '401'],
  ['HEAD /x/secret', '401'],
  ['POST /x/secret', '401'],
  ['GET /x/deeper/7', '401'],
  ['GET /y', '401'],
  ['GET /z/nested', '401'],
  ['GET /undeclared', '401'],
  // Other spellings that the router maps to the same route.
  ['GET /%78/secret', '401'],
  ['GET http://elsewhere.example/x/secret', '401'],
  ['GET /x/secret?a=/healthz', '401'],
  // Paths without a route beside routes that need credentials.
  ['GET /x/nothing', '401'],
  ['GET /x', '401'],
  ['GET //x/nothing', '401'],
  ['GET /a/../x/nothing', '401'],
  ['GET /x%2Fnothing', '401'],
  ['DELETE /x/secret', '401'],
  ['GET /undeclared/', '401'],
  ['GET /api', '401'],
  ['GET /api/nothing', '401'],
  ['GET /api/v2/hello', '401'],
  ['OPTIONS /api/v1/hello', '401'],
  ['GET /admin', '401'],
  ['GET /admin/nothing', '401'],
  ['GET /healthz/../admin', '401'],
  // Declared open, even with the same first segment.
  ['GET /api/v1/hello', '200'],
  ['GET /x/about', '200'],
  ['GET /healthz', '200'],
  // No such route.
  ['GET /', '404'],
  ['GET /buckets/photos', '404'],
  ['POST /buckets/photos', '404'],
  ['GET /xy', '404'],
])('I-34: without credentials %s gives %s', async (line, status) => {
  const openRoutes = serve(
    defineRoutes({
      name: 'open',
      access: 'open',
      uses: {},
      register(app) {
        app.get('/api/v1/hello', async () => 'open')
        app.get('/x/about', async () => 'open')
      },
    }),
  )
  await using listener = await startTestListener({ routes: [contributed, undeclared, openRoutes] })
  expect((await ask(listener.url, line)).slice(0, 3)).toBe(status)
  const signedIn = await ask(listener.url, line, `Authorization: ${testAuthorization}`)
  expect(signedIn).toMatch(/^(200|404|405)/)
})

test.each([
  ['GET /', '200 shell'],
  ['GET /buckets/photos', '200 shell'],
  ['GET /xy', '200 shell'],
  ['GET /x/about', '200 open'],
  ['GET /api/v1/hello', '200 open'],
  ['GET /x/nothing', '401'],
  ['GET //x/secret', '401'],
  ['GET /a/../x/secret', '401'],
  ['GET /a/%2e%2e/x/secret', '401'],
  ['GET /undeclared/', '401'],
  ['GET /api/nothing', '401'],
  ['GET /admin', '401'],
])('I-34: with an open wildcard route, %s without credentials gives %s', async (line, expected) => {
  await using listener = await startTestListener({ routes: [contributed, undeclared, shell] })
  expect(await ask(listener.url, line)).toBe(expected)
})

test.each<readonly [RouteAccess, string]>([
  ['operator', '200'],
  ['session', '401'],
  ['open', '200'],
])('a group with the access %s answers HTTP Basic with %s', async (access, status) => {
  const group = serve(defineRoutes({ name: 'group', access, uses: {}, register: (app) => void app.get('/page', async () => 'page') }))
  await using listener = await startTestListener({ routes: [group] })
  expect((await ask(listener.url, 'GET /page', `Authorization: ${testAuthorization}`)).slice(0, 3)).toBe(status)
})

test('a group that is not served keeps its access', async () => {
  await using listener = await startTestListener({ routes: [{ ...contributed, answer: 'plugin_disabled' }] })
  expect(await ask(listener.url, 'GET /x/secret')).toBe('401')
  expect(await ask(listener.url, 'GET /x/other')).toBe('401')
})
