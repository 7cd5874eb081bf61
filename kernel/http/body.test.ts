import { expect, test } from 'vitest'
import { type } from '../schema.ts'
import { startTestListener, testAuthorization } from '../testing/admin-listener.ts'
import { sendRaw } from '../testing/http.ts'
import { parseBody, parseParams, parseQuery } from './body.ts'
import { defineRoutes } from './routes.ts'

const thing = type({
  name: 'string',
  'copies?': '1 <= number.integer <= 8',
  'mode?': "'automatic' | 'manual'",
  'owner?': { id: 'number', 'tags?': 'string[]' },
})
const trimmed = type({ id: type('string').pipe((text) => text.trim(), type('1 <= string <= 128')) })

const routes = [
  {
    answer: 'serve' as const,
    services: {},
    group: defineRoutes({
      name: 'bodies',
      uses: {},
      register(app) {
        app.post('/api/v1/thing', async (request) => parseBody(thing, request))
        app.post('/api/v1/trimmed', async (request) => parseBody(trimmed, request))
        app.post('/api/v1/large', async (request) => parseBody(thing, request, { bytesMax: 100_000 }))
        app.post('/api/v1/typed', async (request) => parseBody(thing, request, { requireJsonType: true }))
        app.post('/api/v1/lenient', async (request) => parseBody(thing, request, { unknownMembers: 'drop' }))
        app.get('/api/v1/list', async (request) => parseQuery(type({ 'limit?': 'string.integer.parse', 'status?': 'string' }), request))
        app.get('/api/v1/item/:id', async (request) => parseParams(type({ id: /^[1-9]\d*$/ }), request))
      },
    }),
  },
]

async function send(path: string, body: string | Uint8Array | undefined, headers: Record<string, string> = {}) {
  await using listener = await startTestListener({ routes })
  const init = body === undefined ? {} : { method: 'POST', body: body as string }
  const response = await fetch(listener.url + path, { ...init, headers: { authorization: testAuthorization, ...headers } })
  return { status: response.status, body: (await response.json()) as { error: string; code: string; fields?: { field: string }[] } }
}

test.each([
  ['nothing', '', 'must be one JSON value'],
  ['malformed text', '{"name":', 'must be one JSON value'],
  ['trailing content', '{"name":"a"} {}', 'must be one JSON value'],
  ['text that is not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'is not UTF-8'],
  ['a byte order mark', '\ufeff{"name":"a"}', 'must be one JSON value'],
  ['no object', '[]', 'must be'],
  ['null', 'null', 'The body must be an object'],
  ['a missing member', '{}', 'name is missing; it must be a string'],
  ['a wrong type', '{"name":5}', 'name must be a string'],
  ['a value out of range', '{"name":"a","copies":9}', 'copies must be at most 8'],
  ['a fraction', '{"name":"a","copies":1.5}', 'copies must be an integer'],
  ['a word that is none of the choices', '{"name":"a","mode":"other"}', 'mode must be "automatic" or "manual"'],
  ['an unknown member', '{"name":"a","nmae":"b"}', 'nmae is not known here'],
  ['an unknown member further in', '{"name":"a","owner":{"id":1,"x":2}}', 'owner.x is not known here'],
  ['a wrong type in a list', '{"name":"a","owner":{"id":1,"tags":["a",2]}}', 'owner.tags.1 must be a string'],
  ['a prototype', '{"name":"a","__proto__":{"copies":1}}', '__proto__ is not known here'],
  ['a repeated member', '{"name":"a","name":"b"}', 'has the member "name" twice'],
  ['a repeated member in another spelling', '{"owner":{"id":1,"\\u0069d":2},"name":"a"}', 'twice'],
  ['too many bytes', JSON.stringify({ name: 'x'.repeat(4090) }), 'must not be larger than 4096 bytes'],
])('a body with %s is refused with what is expected', async (...[, body, message]) => {
  const answer = await send('/api/v1/thing', body)
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  expect(answer.body.error).toContain(message)
})

test('a valid body passes, also with equal names in different objects or inside strings', async () => {
  const body = { name: '{"name":1,"name":2}', owner: { id: 1, tags: ['name:', '"name":', '\\"'] }, copies: 8 }
  expect(await send('/api/v1/thing', JSON.stringify(body))).toEqual({ status: 200, body })
  expect(await send('/api/v1/thing', '{"name":"a"}', { 'content-type': 'text/plain' })).toMatchObject({ status: 200 })
})

test('refusals never quote the request', async () => {
  for (const body of ['{"name":1234567890}', '{"name":"a","mode":"hunter2-secret"}', '{"name":"a","copies":"hunter2-secret"}']) {
    const { error } = (await send('/api/v1/thing', body)).body
    expect(error).not.toMatch(/1234567890|hunter2/)
  }
})

test('every invalid member is named', async () => {
  const { body } = await send('/api/v1/thing', '{"name":1,"copies":0,"other":2}')
  expect(body.fields?.map(({ field }) => field).sort()).toEqual(['copies', 'name', 'other'])
})

test('a route sets its own bound, its own media type, and whether it is strict', async () => {
  const large = JSON.stringify({ name: 'x'.repeat(50_000) })
  expect((await send('/api/v1/large', large)).status).toBe(200)
  expect((await send('/api/v1/typed', '{"name":"a"}', { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200)
  expect((await send('/api/v1/typed', '{"name":"a"}', { 'content-type': 'text/json' })).body.error).toContain('application/json')
  expect(await send('/api/v1/lenient', '{"name":"a","more":1}')).toMatchObject({ status: 200 })
})

test('a transforming type is equally strict', async () => {
  expect(await send('/api/v1/trimmed', '{"id":"  a "}')).toEqual({ status: 200, body: { id: 'a' } })
  expect((await send('/api/v1/trimmed', '{"id":"   "}')).body.error).toContain('id must be non-empty')
  expect((await send('/api/v1/trimmed', '{"id":"a","x":1}')).body.error).toContain('x is not known here')
})

test('a body of unknown length is limited while it arrives', async () => {
  await using listener = await startTestListener({ routes })
  const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`
  const head = `POST /api/v1/thing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${testAuthorization}\r\nTransfer-Encoding: chunked\r\n\r\n`
  const answer = await sendRaw(listener.url, `${head}${chunk}${chunk}0\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*must not be larger than 4096 bytes/s)
})

test('after a refused body the connection serves the next request', async () => {
  await using listener = await startTestListener({ routes })
  const post = `POST /api/v1/thing HTTP/1.1\r\nHost: x\r\nAuthorization: ${testAuthorization}\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5000)}`
  const answer = await sendRaw(listener.url, `${post}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
})

test('query and path parameters are checked by their types', async () => {
  expect(await send('/api/v1/list?limit=20&_=7', undefined)).toMatchObject({ status: 200, body: { limit: 20 } })
  expect((await send('/api/v1/list?limit=x', undefined)).body.error).toContain('limit must be')
  expect((await send('/api/v1/list?status=a&status=b', undefined)).body.error).toContain('status must be a string')
  expect(await send('/api/v1/item/17', undefined)).toMatchObject({ status: 200, body: { id: '17' } })
  expect((await send('/api/v1/item/0', undefined)).body.error).toContain('id must be')
})

test.each(['%', '%zz', '%ff', '%ED%A0%80', 'a&limit=%ff'])('the query %s is refused: its escapes cannot be decoded', async (query) => {
  const answer = await send(`/api/v1/list?status=${query}`, undefined)
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

test('at most 50 of thousands of unknown members are named', async () => {
  const members = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`m${n}`, 1]))
  const { status, body } = await send('/api/v1/large', JSON.stringify({ name: 'a', ...members }))
  expect([status, body.fields?.length]).toEqual([400, 50])
  expect(body.error).toMatch(/; and 4950 more problems\.$/)
})
