/** Malicious and malformed requests. The service must answer normally after all of them. */
import { connect } from 'node:net'
import { CreateBucketCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw, testAuthorization } from '#kernel/testing'
import type { BrowserSession } from '../fixtures/admin-calls.ts'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'

const stack = new AsyncDisposableStack()
let svc: ServeProcess
let session: BrowserSession
let s3: S3Client
beforeAll(async () => {
  svc = stack.use(await startServe())
  session = await svc.signIn()
  s3 = stack.adopt(svc.connect(await svc.createUser()), (client) => client.destroy())
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
})
afterAll(async () => {
  expect((await svc.call('GET', '/healthz', { as: 'anonymous' })).json).toEqual({ status: 'ok' })
  await stack.disposeAsync()
})

const bucket = 'hostile'
const operator = `Authorization: ${testAuthorization}`
const wrongLogin = 'Authorization: Basic YWRtaW46d3Jvbmc='
const host = 'Host: svc'
const json = 'Content-Type: application/json'
/** Lines of a head, then the body. */
const ask = (lines: readonly string[], body = '') => sendRaw(svc.adminUrl, `${lines.join('\r\n')}\r\n\r\n${body}`)
const readJson = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

describe('an ambiguous request is refused:', () => {
  const get = (...lines: readonly string[]) => ['GET /api/v1/overview HTTP/1.1', ...lines, 'Connection: close']
  const post = (...lines: readonly string[]) => ['POST /api/v1/settings/validate HTTP/1.1', host, operator, json, ...lines]
  test.each<readonly [string, () => Promise<string>]>([
    ['no Host', () => ask(get(operator))],
    ['two Hosts', () => ask(get(host, 'Host: elsewhere.example', operator))],
    ['two Hosts in other letters', () => ask(get(host, 'hOST: svc', operator))],
    ['two Authorizations, the first good', () => ask(get(host, operator, wrongLogin))],
    ['two Authorizations, the second good', () => ask(get(host, wrongLogin, operator))],
    ['two Origins', () => ask(get(host, operator, 'Origin: http://svc', 'Origin: https://elsewhere.example'))],
    ['two Referers', () => ask(get(host, operator, 'Referer: http://svc/', 'Referer: https://elsewhere.example/'))],
    ['two CSRF tokens', () => ask(get(host, `Cookie: ${session.cookie}`, `X-Svc-CSRF: ${session.csrfToken}`, 'X-Svc-CSRF: x'))],
    ['a length and chunks', () => ask(post('Content-Length: 4', 'Transfer-Encoding: chunked'), '2\r\n{}\r\n0\r\n\r\n')],
    ['chunks and a length', () => ask(post('Transfer-Encoding: chunked', 'Content-Length: 4'), '2\r\n{}\r\n0\r\n\r\n')],
    ['two lengths', () => ask(post('Content-Length: 2', 'Content-Length: 44'), '{}')],
    ['a list of lengths', () => ask(post('Content-Length: 2, 2'), '{}')],
    ['a negative length', () => ask(post('Content-Length: -2'), '{}')],
    ['a signed length', () => ask(post('Content-Length: +2'), '{}')],
    ['a length in hexadecimal', () => ask(post('Content-Length: 0x2'), '{}')],
    ['an unknown transfer coding', () => ask(post('Transfer-Encoding: xchunked'), '{}')],
    ['chunks that are not the last coding', () => ask(post('Transfer-Encoding: chunked, identity'), '2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size that is none', () => ask(post('Transfer-Encoding: chunked'), 'zz\r\n{}\r\n0\r\n\r\n')],
    ['a negative chunk size', () => ask(post('Transfer-Encoding: chunked'), '-2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size beyond all numbers', () => ask(post('Transfer-Encoding: chunked'), 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
    ['a chunk longer than its size', () => ask(post('Transfer-Encoding: chunked'), '1\r\n{}\r\n0\r\n\r\n')],
    ['a blank before the colon', () => ask(get(host, operator, 'Transfer-Encoding : chunked'))],
    ['a header folded over two lines', () => ask(get(host, operator, 'X-Note: a', ' b'))],
    ['a carriage return inside a header', () => ask(get(host, operator, 'X-Note: a\rX-Other: b'))],
    ['a NUL inside a header', () => ask(get(host, operator, 'X-Note: a\0b'))],
    ['lines that end without a carriage return', () => sendRaw(svc.adminUrl, `${get(host, operator).join('\n')}\n\n`)],
    ['a header without a name', () => ask(get(host, operator, ': x'))],
    ['no request line', () => sendRaw(svc.adminUrl, 'hello\r\n\r\n')],
    ['a TLS greeting', () => sendRaw(svc.adminUrl, Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01', 'latin1'))],
    ['the beginning of HTTP/2', () => sendRaw(svc.adminUrl, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  ])('%s', async (_what, send) => {
    const answer = await send()
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(readJson(answer)).toMatchObject({ error: expect.any(String), code: 'invalid_request' })
    // One answer: no part of the body was parsed as a second request.
    expect(answer.match(/HTTP\/1\.1 \d{3} /g)).toHaveLength(1)
    for (const header of ['X-Content-Type-Options: nosniff', 'Cache-Control: no-store'])
      expect(answer.toLowerCase()).toContain(header.toLowerCase())
  })

  test('with two session cookies neither is accepted', async () => {
    const { cookie } = session
    for (const both of [`${cookie}; ${cookie}`, `svc_admin_session=x; ${cookie}`, `${cookie}; a=b; svc_admin_session=x`]) {
      expect((await svc.call('GET', '/api/v1/overview', { as: 'anonymous', headers: { cookie: both } })).status).toBe(401)
    }
    const lines = ['GET /api/v1/overview HTTP/1.1', host, `Cookie: ${cookie}`, 'Cookie: svc_admin_session=x', 'Connection: close']
    expect(await ask(lines)).toMatch(/^HTTP\/1\.1 401 /)
  })
})

test.each<readonly [string, () => readonly string[]]>([
  ['a cookie of 64 KiB', () => [`Cookie: svc_admin_session=${'a'.repeat(65_536)}`]],
  ['a header of 64 KiB', () => [`X-Note: ${'a'.repeat(65_536)}`]],
  ['ten thousand headers', () => Array.from({ length: 10_000 }, (_, n) => `X-${n}: y`)],
])('%s exceed the limit of the request head', async (_what, lines) => {
  expect(await ask(['GET /healthz HTTP/1.1', host, ...lines()])).toMatch(/^HTTP\/1\.1 431 /)
})

test('an address of 64 KiB exceeds the limit of the request head', async () => {
  expect(await ask([`GET /${'a'.repeat(65_536)} HTTP/1.1`, host])).toMatch(/^HTTP\/1\.1 431 /)
})

describe('slow and unfinished requests', () => {
  test('unfinished headers are answered 408, and the connection is closed within seconds', async () => {
    const startMs = performance.now()
    const answer = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(svc.adminUrl)
      let text = ''
      const socket = connect(Number(port), hostname, () => socket.write(`GET /api/v1/overview HTTP/1.1\r\n${host}\r\n`))
      // Occasional header lines do not extend the deadline.
      const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 500)
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk
      })
      socket.on('error', reject).on('close', () => {
        clearInterval(drip)
        resolve(text)
      })
    })
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*"code":"invalid_request"/s)
    const tookMs = performance.now() - startMs
    expect(tookMs).toBeGreaterThan(4500)
    expect(tookMs).toBeLessThan(20_000)
  })

  test('an unauthenticated request is refused without waiting for its body', async () => {
    const lines = ['POST /api/v1/settings/validate HTTP/1.1', host, json, 'Content-Length: 1000', 'Connection: close']
    expect(await ask(lines, '{')).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('a too large declared body is refused without waiting for it', async () => {
    const lines = ['POST /api/v1/settings/validate HTTP/1.1', host, operator, json, 'Content-Length: 65537', 'Connection: close']
    expect(await ask(lines, '{')).toMatch(/^HTTP\/1\.1 400 .*must not be larger than 65536 bytes/s)
  })

  test('a client that disconnects inside its body does not affect others', async () => {
    const { hostname, port } = new URL(svc.adminUrl)
    const lines = ['POST /api/v1/settings/validate HTTP/1.1', host, operator, json, 'Content-Length: 1000']
    await new Promise<void>((done) => {
      const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n{`, () => socket.destroy()))
      socket.on('close', () => done())
    })
    expect((await svc.call('GET', '/api/v1/overview')).status).toBe(200)
  })
})

describe('JSON', () => {
  const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
  const inSetting = (value: string) => `{"cache":{"max_size_gb":${value}}}`
  const put = (path: string, body: string | Buffer, method = 'PUT') =>
    svc.call(method, path, { body, headers: { 'content-type': 'application/json' } })

  test.each([
    ['lists', inSetting(nested('[', ']', 30_000))],
    ['objects', inSetting(nested('{"a":', '}', 10_000))],
    ['objects under a group', `{"cache":${nested('{"a":', '}', 10_000)}}`],
    ['lists in a list', `{"plugins":{"disabled":${nested('[', ']', 30_000)}}}`],
  ])('with deeply nested %s is refused', async (_what, body) => {
    expect(await put('/api/v1/settings', body)).toMatchObject({ status: 400, json: { code: 'settings_invalid' } })
  })

  test('with deep nesting is refused at the sign-in too', async () => {
    const body = `{"username":${nested('[', ']', 4000)},"password":"x"}`
    expect(await put('/api/v1/auth/login', body, 'POST')).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  })

  test.each([
    ['/api/v1/settings', 'PUT', '{"__proto__":{"cache":{"max_size_gb":7}}}', '__proto__'],
    ['/api/v1/settings', 'PUT', '{"cache":{"__proto__":{"max_size_gb":7}}}', 'cache.__proto__'],
    ['/api/v1/settings', 'PUT', '{"constructor":{"prototype":{"polluted":1}}}', 'constructor'],
    ['/api/v1/settings', 'PUT', '{"chain":{"toString":1}}', 'chain.toString'],
    ['/api/v1/buckets', 'POST', '{"__proto__":{"default_copies":1},"name":"polluted","owner_access_key":"x"}', '__proto__'],
    ['/api/v1/buckets', 'POST', '{"constructor":{"prototype":{}},"name":"polluted","owner_access_key":"x"}', 'constructor'],
    ['/api/v1/chain/readiness/preflight', 'POST', '{"chain":{"__proto__":{"network":"mainnet"}}}', 'chain.__proto__'],
  ])('for %s (%s) with the members %s is refused and names them', async (path, method, body, field) => {
    const reply = await put(path, body, method)
    expect(reply.status).toBe(400)
    expect(reply.json.fields.map((at: { field: string }) => at.field)).toContain(field)
    expect(JSON.stringify((await svc.call('GET', '/api/v1/settings')).json)).not.toContain('polluted')
  })

  test.each<readonly [string, string | Buffer, string]>([
    ['half a surrogate pair', '{"s3":{"region":"\\ud800"}}', 's3.region'],
    ['a NUL', '{"s3":{"region":"a\\u0000b"}}', 's3.region'],
    ['a line break', '{"s3":{"region":"a\\r\\nb = 1"}}', 's3.region'],
    ['a number beyond all numbers', inSetting('1e400'), 'cache.max_size_gb'],
    ['a number that is not exact', inSetting('9007199254740993'), 'cache.max_size_gb'],
    ['a fraction', inSetting('1.5'), 'cache.max_size_gb'],
    ['an object for a number', inSetting('{"valueOf":1}'), 'cache.max_size_gb'],
  ])('with %s for a setting is refused at its field', async (_what, body, field) => {
    expect(await put('/api/v1/settings', body)).toMatchObject({ status: 400, json: { code: 'settings_invalid', fields: [{ field }] } })
  })

  test.each<readonly [string, string | Buffer]>([
    ['NaN', inSetting('NaN')],
    ['Infinity', inSetting('-Infinity')],
    ['a byte order mark', `\ufeff${inSetting('7')}`],
    ['UTF-16', Buffer.from(inSetting('7'), 'utf16le')],
    ['bytes that are not UTF-8', Buffer.from('{"s3":{"region":"\xff"}}', 'latin1')],
    ['a comment', `${inSetting('7')} // note`],
    ['a second value', `${inSetting('7')}${inSetting('8')}`],
    ['the same member twice', '{"cache":{"max_size_gb":7,"max_size_gb":8}}'],
    ['the same member in two spellings', '{"cache":{"max_size_gb":7,"max\\u005fsize_gb":8}}'],
  ])('with %s is refused', async (_what, body) => {
    expect(await put('/api/v1/settings', body)).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  })
})

describe('a stored object', () => {
  const page = Buffer.from(`<html><script>fetch('/api/v1/settings')</script>${'x'.repeat(200)}</html>`)
  const download = async (key: string, type: string) => {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: page, ContentType: type }))
    return svc.call('GET', `/api/v1/buckets/${bucket}/objects/download?key=${encodeURIComponent(key)}`)
  }

  test.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml'])(
    'of type %s is sent as an attachment with a sandbox policy',
    async (type) => {
      const { status, headers, bytes } = await download('page.html', type)
      expect([status, bytes.equals(page)]).toEqual([200, true])
      expect(headers).toMatchObject({
        'content-disposition': 'attachment; filename="page.html"',
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cache-control': 'no-store',
      })
    },
  )

  test.each([
    ['a"; filename="evil.exe', 'attachment; filename="a_; filename=_evil.exe"'],
    ['a\r\nSet-Cookie: svc_admin_session=x', 'attachment; filename="a__Set-Cookie: svc_admin_session=x"'],
    ['folder/../../etc/passwd', 'attachment; filename="passwd"'],
    ['a\\b.txt', 'attachment; filename="a_b.txt"'],
    ['\u202eexe.txt', 'attachment; filename="_exe.txt"'],
    ['日本.txt', 'attachment; filename="__.txt"'],
  ])('named %j adds nothing to the headers', async (key, plain) => {
    const { status, headers } = await download(key, 'text/plain')
    expect(status).toBe(200)
    expect(headers['set-cookie']).toBeUndefined()
    expect(headers['content-disposition']?.split("; filename*=UTF-8''")[0]).toBe(plain)
    expect(headers['content-disposition']).toMatch(/^[ -~]+$/)
  })
})
