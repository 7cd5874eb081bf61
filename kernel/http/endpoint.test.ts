import { expect, test } from 'vitest'
import { type } from '../schema.ts'
import { startTestListener, testAuthorization } from '../testing/admin-listener.ts'
import { defineEndpoint, serveEndpoint } from './endpoint.ts'
import { defineRoutes } from './routes.ts'

const renameThing = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/things/:id',
  summary: 'Rename a thing',
  params: type({ id: 'string.integer.parse' }),
  query: type({ 'times?': 'string.integer.parse' }),
  body: type({ 'name?': 'string' }),
  isBodyOptional: true,
  answer: type({ id: 'number', times: 'number', name: 'string' }),
  status: 201,
})

const dropThing = defineEndpoint({ method: 'DELETE', path: '/api/v1/things/:id', summary: 'Drop a thing', status: 204 })
const thingBytes = defineEndpoint({ method: 'GET', path: '/api/v1/bytes', summary: 'Bytes', media: 'application/octet-stream' })

const group = defineRoutes({
  name: 'things',
  uses: {},
  endpoints: [renameThing, dropThing, thingBytes],
  register(app) {
    serveEndpoint(app, renameThing, async ({ params, query, body }) => ({
      id: params.id,
      times: query.times ?? 1,
      name: body.name ?? 'unnamed',
    }))
    serveEndpoint(app, dropThing, async () => undefined)
    serveEndpoint(app, thingBytes, async () => Buffer.from('abc'))
  },
})

const start = () => startTestListener({ routes: [{ group, services: {}, answer: 'serve' }] })
const headers = { authorization: testAuthorization }

test('an endpoint reads its parameters as typed values and answers with its status', async () => {
  await using listener = await start()
  const full = await fetch(`${listener.url}/api/v1/things/7?times=2`, { method: 'PUT', headers, body: '{"name":"a"}' })
  expect([full.status, await full.json()]).toEqual([201, { id: 7, times: 2, name: 'a' }])
  const bare = await fetch(`${listener.url}/api/v1/things/7`, { method: 'PUT', headers })
  expect(await bare.json()).toEqual({ id: 7, times: 1, name: 'unnamed' })
  const dropped = await fetch(`${listener.url}/api/v1/things/7`, { method: 'DELETE', headers })
  expect([dropped.status, await dropped.text()]).toEqual([204, ''])
})

test.each([
  ['a parameter', 'x', '', '{}'],
  ['the query', '7', '?times=x', '{}'],
  ['a member of the body', '7', '', '{"name":1}'],
  ['an unknown member', '7', '', '{"nick":"a"}'],
  ['a list for an object', '7', '', '[]'],
])('%s of the wrong form is refused', async (_what, id, query, body) => {
  await using listener = await start()
  const response = await fetch(`${listener.url}/api/v1/things/${id}${query}`, { method: 'PUT', headers, body })
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_request' }])
})

test('HEAD is served only for JSON answers', async () => {
  await using listener = await start()
  expect(await (await fetch(`${listener.url}/api/v1/bytes`, { headers })).text()).toBe('abc')
  expect((await fetch(`${listener.url}/api/v1/bytes`, { method: 'HEAD', headers })).status).toBe(405)
})

test('an unsupported method is refused with 405 and the supported methods', async () => {
  await using listener = await start()
  for (const method of ['POST', 'PATCH', 'OPTIONS', 'QUERY', 'PROPFIND']) {
    const response = await fetch(`${listener.url}/api/v1/things/7`, { method, headers })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'DELETE, PUT'])
    expect(await response.json()).toEqual({
      error: `This address does not support ${method}; it supports DELETE, PUT.`,
      code: 'method_not_allowed',
    })
  }
  const health = await fetch(`${listener.url}/healthz`, { method: 'POST' })
  expect([health.status, health.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('without credentials an unsupported method reveals nothing about the path', async () => {
  await using listener = await start()
  const response = await fetch(`${listener.url}/api/v1/things/7`, { method: 'PATCH' })
  expect([response.status, response.headers.get('allow')]).toEqual([401, null])
})

test('a path that only resembles a route is not found', async () => {
  await using listener = await start()
  const response = await fetch(`${listener.url}/api/v1/things/${'7'.repeat(2000)}`, { method: 'DELETE', headers })
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
})

test('a path with an empty parameter is not found', async () => {
  await using listener = await start()
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const response = await fetch(`${listener.url}/api/v1/things/`, { method, headers })
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
  }
})
