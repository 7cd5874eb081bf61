import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineEndpoint, defineRoutes, serveEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { kernelErrors } from '#kernel/system'
import { startTestListener, type TestListener, testOperator } from '#kernel/testing'
import { openAdminClient } from './admin-client.ts'

const echo = defineEndpoint({
  method: 'POST',
  path: '/api/v1/things/:name',
  summary: 'Echo',
  params: type({ name: 'string' }),
  query: type({ 'times?': 'string.integer.parse' }),
  body: type({ text: 'string' }),
  answer: type({ name: 'string', times: 'number', text: 'string', priceList: 'string' }),
})
const drop = defineEndpoint({ method: 'DELETE', path: '/api/v1/things', summary: 'Drop', status: 204 })
const wait = defineEndpoint({ method: 'GET', path: '/api/v1/wait', summary: 'Wait', deadlineMs: 200 })
const store = defineEndpoint({
  method: 'POST',
  path: '/api/v1/store',
  summary: 'Store',
  query: type({ name: 'string' }),
  bodyMedia: '*/*',
  answer: type({ name: 'string', bytes: 'number', type: 'string' }),
  deadlineMs: 3_600_000,
})
const fetchBytes = defineEndpoint({ method: 'GET', path: '/api/v1/bytes', summary: 'Bytes', media: 'text/event-stream' })
const page = defineEndpoint({ method: 'GET', path: '/api/v1/page', summary: 'Page', media: 'application/octet-stream' })
const refuse = defineEndpoint({ method: 'GET', path: '/api/v1/refuse', summary: 'Refuse' })

const group = defineRoutes({
  name: 'things',
  uses: {},
  register(app) {
    serveEndpoint(app, echo, async ({ params, query, body, request }) => ({
      name: params.name,
      times: query.times ?? 0,
      text: body.text,
      priceList: String(request.headers['svc-price-list'] ?? ''),
    }))
    serveEndpoint(app, drop, async () => undefined)
    serveEndpoint(app, store, async ({ query, request }) => {
      const chunks: Buffer[] = await request.raw.toArray()
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      return { name: query.name, bytes, type: request.headers['content-type'] ?? '' }
    })
    serveEndpoint(app, fetchBytes, async ({ reply }) => {
      reply.header('content-type', 'text/event-stream')
      return Readable.from(['some ', 'bytes'])
    })
    serveEndpoint(app, page, async ({ reply }) => {
      reply.header('content-type', 'text/html')
      return '<html>'
    })
    serveEndpoint(app, wait, () => new Promise(() => {}))
    serveEndpoint(app, refuse, async () => {
      throw kernelErrors.invalid_request({ message: 'Not like this.', fields: [{ field: 'a.b', message: 'is wrong' }] })
    })
  },
})

let listener: TestListener
let dir = ''
beforeAll(async () => {
  listener = await startTestListener({ routes: [{ group, services: {}, answer: 'serve' }] })
  dir = mkdtempSync(join(tmpdir(), 'svc-client-'))
})
afterAll(async () => {
  rmSync(dir, { recursive: true })
  await listener.stop()
})

const password = { SVC_ADMIN_PASSWORD: testOperator.password }
const out = { note() {} }
const open = (env: Record<string, string>, flags: Record<string, unknown> = {}) =>
  openAdminClient({ out, env, flags: { config: join(dir, 'config.toml'), adminUrl: listener.url, timeout: 10_000, ...flags } })

test('a call carries path, query and body, and reads the answer', async () => {
  const client = await open(password)
  const answer = await client.call(echo, { params: { name: 'a/ü b' }, query: { times: '3' }, body: { text: 'hello' } })
  expect(answer).toEqual({ name: 'a/ü b', times: 3, text: 'hello', priceList: '' })
  expect(await client.call(echo, { params: { name: 'x' }, body: { text: '' } })).toMatchObject({ times: 0 })
  expect(await client.call(drop)).toBeUndefined()
})

test('a client with prices names their list when it changes something, and keeps its credentials', async () => {
  const client = await open(password)
  const sent = { params: { name: 'x' }, body: { text: '' } }
  expect((await client.withPrices('abc').call(echo, sent)).priceList).toBe('abc')
  expect((await client.call(echo, sent)).priceList).toBe('')
  expect((await (await open(password, { priceList: 'given' })).call(echo, sent)).priceList).toBe('given')
})

test('--timeout does not limit a streamed body or answer', async () => {
  const client = await open(password, { timeout: 10_000 })
  const upload = (bytes: string, size?: number) =>
    client.upload(store, { query: { name: 'a' } }, { bytes: Readable.from([Buffer.from(bytes)]), size, contentType: 'image/png' })
  expect(await upload('12345', 5)).toEqual({ name: 'a', bytes: 5, type: 'image/png' })
  expect(await upload('123')).toEqual({ name: 'a', bytes: 3, type: 'image/png' })
  let text = ''
  for await (const chunk of (await client.open(fetchBytes)).bytes) text += Buffer.from(chunk).toString()
  expect(text).toBe('some bytes')
})

test('refusals and foreign answers to a streamed request are reported like those to any other', async () => {
  const client = await open({ SVC_ADMIN_PASSWORD: 'wrong' })
  const body = { bytes: Readable.from([Buffer.from('1')]), contentType: 'image/png' }
  await expect(client.upload(store, { query: { name: 'a' } }, body)).rejects.toMatchObject({ status: 401 })
  await expect(client.open(fetchBytes)).rejects.toMatchObject({ status: 401 })
  await expect((await open(password)).open(page)).rejects.toThrow(`${listener.url} answered 200, but not as svc does`)
  const nowhere = await open(password, { adminUrl: '127.0.0.1:9' })
  await expect(nowhere.open(page)).rejects.toThrow('no answer from http://127.0.0.1:9: connect ECONNREFUSED')
})

test('a refusal is reported even when the closed connection lost its answer', async () => {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    if (requests === 1) request.once('data', () => request.socket.resetAndDestroy())
    else response.writeHead(413).end('{"error": "Too large.", "code": "entity_too_large"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = await open(password, { adminUrl: `127.0.0.1:${(server.address() as AddressInfo).port}` })
  const chunks = Array.from({ length: 100 }, () => Buffer.alloc(100_000))
  const upload = client.upload(
    store,
    { query: { name: 'a' } },
    { bytes: Readable.from(chunks), size: 10_000_000, contentType: 'image/png' },
  )
  await expect(upload).rejects.toMatchObject({ status: 413, code: 'entity_too_large' })
  expect(requests).toBe(2)
  server.close().closeAllConnections()
})

test('a refusal keeps its code, its status and its fields', async () => {
  const client = await open(password)
  await expect(client.call(refuse)).rejects.toMatchObject({
    message: 'Not like this.\n - a.b: is wrong',
    status: 400,
    code: 'invalid_request',
    exitCode: 1,
  })
})

test('the password comes from the environment, then from the file next to the configuration', async () => {
  const file = join(dir, 'admin-initial-password')
  await expect(open({ SVC_ADMIN_PASSWORD: 'wrong' }).then((client) => client.call(drop))).rejects.toMatchObject({ status: 401 })
  await expect(open({}).then((client) => client.call(drop))).rejects.toThrow(`set SVC_ADMIN_PASSWORD, or put it into ${file}`)
  writeFileSync(file, `${testOperator.password}\n`)
  expect(await (await open({})).call(drop)).toBeUndefined()
  writeFileSync(file, '\n')
  await expect(open({}).then((client) => client.call(drop))).rejects.toThrow(`${file} is empty`)
  rmSync(file)
})

test('one warning precedes a password sent unencrypted to another machine', async () => {
  const notes: string[] = []
  const flags = { config: join(dir, 'config.toml'), timeout: 50 }
  // A documentation address: no machine has it.
  const client = await openAdminClient({
    out: { note: (line) => notes.push(line) },
    env: password,
    flags: { ...flags, adminUrl: '192.0.2.1' },
  })
  await expect(client.readHealth()).rejects.toThrow('no answer')
  expect(notes).toEqual([])
  for (let i = 0; i < 2; i++) await expect(client.call(drop)).rejects.toThrow('no answer')
  expect(notes).toEqual([
    'warning: the Admin password goes to http://192.0.2.1 unencrypted; use https, or an SSH tunnel to a loopback address',
  ])
})

test('no password is requested while authentication is off, or for health', async () => {
  const config = join(dir, 'open.toml')
  writeFileSync(config, '[admin.auth]\nenabled = false\n')
  const client = await open({}, { config })
  await expect(client.call(drop)).rejects.toMatchObject({ status: 401, code: 'authentication_required' })
  expect(await (await open({})).readHealth()).toEqual({ status: 'ok' })
})

test('with --admin-url alone the local configuration is ignored', async () => {
  const home = process.env.HOME
  mkdirSync(join(dir, '.svc'))
  writeFileSync(join(dir, '.svc', 'config.toml'), 'not toml')
  await expect(open(password, { config: join(dir, '.svc', 'config.toml') })).rejects.toThrow('is not valid TOML')
  process.env.HOME = dir
  try {
    const flags = { adminUrl: listener.url, timeout: 10_000 }
    expect(await (await openAdminClient({ out, env: { ...password, SVC_CONFIG: ' ' }, flags })).call(drop)).toBeUndefined()
    await expect((await openAdminClient({ out, env: {}, flags })).call(drop)).rejects.toMatchObject({ status: 401 })
    await expect(openAdminClient({ out, env: password, flags: { timeout: 10_000 } })).rejects.toThrow('is not valid TOML')
  } finally {
    process.env.HOME = home
  }
})

test('the address comes from the configuration unless it is given', async () => {
  const config = join(dir, 'addr.toml')
  writeFileSync(config, `[admin]\naddr = "${new URL(listener.url).host}"\n`)
  expect(await (await open(password, { config, adminUrl: undefined })).call(drop)).toBeUndefined()
})

/** A program on another port that answers one request. */
async function openOther(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  const server = createServer((_request, response) => {
    response.writeHead(status, headers).end(body)
    server.close()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return open(password, { adminUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

test('an answer of another program is not accepted', async () => {
  const html = await openOther(200, '<html>')
  await expect(html.call(drop)).rejects.toThrow(`${html.url} answered 200, but not as svc does`)
  await expect((await openOther(200, '<html>')).call(echo, { params: { name: 'x' }, body: { text: '' } })).rejects.toThrow(
    'but not as svc does',
  )
  await expect((await openOther(200, '{"name": 1}')).call(echo, { params: { name: 'x' }, body: { text: '' } })).rejects.toThrow(
    'answers in a form that this svc does not know',
  )
  const redirecting = await openOther(302, '', { location: 'https://elsewhere.example/' })
  await expect(redirecting.call(drop)).rejects.toThrow('redirects to https://elsewhere.example/')
  await expect((await openOther(200, '{"status": "UP"}')).readHealth()).rejects.toThrow('but not as svc does')
})

test('a refusal names the next step: set the password, or wait', async () => {
  await expect((await open({ SVC_ADMIN_PASSWORD: 'wrong' })).call(drop)).rejects.toThrow('; set SVC_ADMIN_PASSWORD, or make a new password')
  const busy = await openOther(429, '{"error": "Too many."}', { 'retry-after': '9' })
  await expect(busy.call(drop)).rejects.toThrow('Too many; try again in 9 s')
})

test('an absent, slow or foreign service is named in the error', async () => {
  const silent = await startTestListener()
  await silent.stop()
  const client = await open(password, { adminUrl: silent.url })
  await expect(client.call(drop)).rejects.toThrow(`no answer from ${silent.url}: connect ECONNREFUSED`)
  const hurried = await open(password, { timeout: 1 })
  await expect(hurried.call(wait)).rejects.toThrow('it did not come within 0.001 s (--timeout)')
  const elsewhere = await open(password, { adminUrl: `${listener.url}/nowhere` })
  await expect(elsewhere.readHealth()).rejects.toThrow(`${listener.url}/nowhere answered 404, but not as svc does`)
})

test('--timeout also limits the wait for the rest of a JSON answer', async () => {
  const server = createServer((_request, response) => void response.writeHead(200).write('{')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = await open(password, { adminUrl: `127.0.0.1:${(server.address() as AddressInfo).port}`, timeout: 50 })
  // The headers may already be late on a busy machine.
  const limited = / (sent nothing for|did not come within) 0\.05 s/
  await expect(client.call(drop)).rejects.toThrow(limited)
  await expect(client.readHealth()).rejects.toThrow(limited)
  server.close().closeAllConnections()
})
