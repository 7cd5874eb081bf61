import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import fastify from 'fastify'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { chooseDashboard, ownDashboardFolder, version } from '#kernel/system'
import { testKernel } from '#kernel/testing'
import { builtinPlugins } from '../../index.ts'
import { DashboardFiles } from './dashboard-files.ts'
import { serveDashboard } from './dashboard-routes.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-dashboard-'))
const folder = join(root, 'dist')
const own = ownDashboardFolder(root)
const html = '<!doctype html><title>svc</title>'
const script = 'console.log("started")'.repeat(20)

afterAll(() => rmSync(root, { recursive: true }))
beforeEach(() => {
  for (const path of [folder, own]) rmSync(path, { recursive: true, force: true })
})

function build(page = html): void {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'index.html.br'), brotliCompressSync(page))
  writeFileSync(join(folder, 'theme.js'), 'theme()')
  writeFileSync(join(folder, 'assets', 'a.js'), script)
  writeFileSync(join(folder, 'assets', 'a.js.br'), brotliCompressSync(script))
}

/** The build with further pages, beside its place until a rename puts it there. */
function buildOwn(page: string, path = own, { commit, version: number } = version): void {
  const files = { 'index.html': page, 'build.json': '{"hash":"own"}', 'assets/own.js': 'own()' }
  mkdirSync(join(path, 'assets'), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  const hashes = Object.entries(files).map(([name, text]) => [name, createHash('sha256').update(text).digest('hex')])
  writeFileSync(join(path, 'files.json'), JSON.stringify({ svc: { version: number, commit }, files: Object.fromEntries(hashes) }))
}

function serve(refusals: string[] = []) {
  const app = fastify()
  serveDashboard(app, new DashboardFiles({ builtIn: folder, own: () => own, onRefusal: (problem) => refusals.push(problem) }))
  return app
}

test('every address without a file is the page, which is asked for again and not sent again', async () => {
  build()
  const app = serve()
  for (const url of ['/', '/buckets/a.txt', '/a/b?c=d', '/tasks/']) {
    const { statusCode, body, headers } = await app.inject(url)
    expect([url, statusCode, body]).toEqual([url, 200, html])
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'accept-encoding', 'content-type': 'text/html; charset=utf-8' })
    const again = await app.inject({ url, headers: { 'if-none-match': String(headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  }
  const { headers, rawPayload } = await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip, br' } })
  expect(headers['content-encoding']).toBe('br')
  expect(rawPayload).toEqual(brotliCompressSync(html))
  expect((await app.inject({ url: '/', headers: { 'accept-encoding': 'br;q=0' } })).body).toBe(html)
  expect(await app.inject({ method: 'HEAD', url: '/' })).toMatchObject({ statusCode: 200, body: '' })
})

test('assets are sent as they were compressed and never asked for again; a missing one is not the page', async () => {
  build()
  const app = serve()
  const sent = await app.inject({ url: '/assets/a.js', headers: { 'accept-encoding': 'br' } })
  expect(sent.headers).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'public, max-age=31536000, immutable' })
  expect(sent.headers['content-type']).toContain('javascript')
  expect((await app.inject('/assets/a.js')).body).toBe(script)
  expect((await app.inject('/theme.js')).headers['cache-control']).toBe('public, max-age=0')
  for (const url of ['/assets/none.js', '/assets/', '/assets/..%2findex.html']) {
    expect([url, (await app.inject(url)).body.includes('<title>svc</title>')]).toEqual([url, false])
  }
})

test('without a build the page says how to make one, and a build is found without a restart', async () => {
  const app = serve()
  const before = await app.inject('/')
  expect(before).toMatchObject({ statusCode: 503, body: expect.stringContaining('npm run build:ui') })
  expect(before.headers.refresh).toBe('3')
  build()
  expect((await app.inject('/')).body).toBe(html)
  build(`${html}<p>second`)
  expect((await app.inject('/')).body).toBe(`${html}<p>second`)
})

test('a build in the data directory is served in place of the built-in one, from its first request to its removal', async () => {
  build()
  const app = serve()
  expect((await app.inject('/')).body).toBe(html)
  buildOwn('<title>own</title>', join(root, 'draft'))
  renameSync(join(root, 'draft'), own)
  expect((await app.inject('/')).body).toBe('<title>own</title>')
  expect((await app.inject('/assets/own.js')).body).toBe('own()')
  expect((await app.inject('/build.json')).body).toBe('{"hash":"own"}')
  // Its list names the svc that built it, for the operator only.
  expect((await app.inject('/files.json')).body).toBe('<title>own</title>')
  rmSync(own, { recursive: true })
  expect((await app.inject('/')).body).toBe(html)
  expect((await app.inject('/assets/own.js')).statusCode).toBe(404)
})

test('a damaged or older build is reported once, and the built-in one is served', async () => {
  build()
  buildOwn('<title>own</title>', own, { ...version, commit: 'earlier' })
  const refusals: string[] = []
  const app = serve(refusals)
  for (const url of ['/', '/', '/buckets']) expect((await app.inject(url)).body).toBe(html)
  expect((await app.inject('/assets/own.js')).statusCode).toBe(404)
  expect(refusals).toEqual([expect.stringContaining('(commit earlier) built it, and this is svc')])
  buildOwn('<title>own</title>')
  writeFileSync(join(own, 'index.html'), '<title>changed</title>')
  expect((await app.inject('/')).body).toBe(html)
  expect(refusals.slice(1)).toEqual([expect.stringContaining('index.html is damaged. Run `svc plugins build`')])
})

test('a build that is replaced while it is compared is compared again, and not reported', async () => {
  build()
  buildOwn('<title>first</title>')
  buildOwn('<title>second</title>', join(root, 'next'))
  const refusals: string[] = []
  let comparisons = 0
  const files = new DashboardFiles({
    builtIn: folder,
    own: () => own,
    onRefusal: (problem) => refusals.push(problem),
    choose(builtIn, path) {
      comparisons += 1
      if (comparisons > 1) return chooseDashboard(builtIn, path)
      rmSync(path, { recursive: true })
      const absent = chooseDashboard(builtIn, path)
      renameSync(join(root, 'next'), path)
      return { ...absent, problem: 'assets/own.js is missing' }
    },
  })
  const app = fastify()
  serveDashboard(app, files)
  expect((await app.inject('/')).body).toBe('<title>second</title>')
  expect((await app.inject('/')).body).toBe('<title>second</title>')
  expect([comparisons, refusals]).toEqual([2, []])
})

test('the page needs no credentials, addresses of the APIs are never the page, and other methods are refused', async () => {
  await using svc = await testKernel({
    plugins: builtinPlugins,
    config: { 'chain.private_key': `0x${'1'.repeat(64)}`, 'chain.rpc_url': 'http://127.0.0.1:9', 'server.port': '127.0.0.1:0' },
  })
  const answer = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${svc.url}${path}`, init)
    return [response.status, response.headers.get('content-type')?.split(';')[0]]
  }
  expect((await answer('/buckets'))[1]).toBe('text/html')
  for (const path of ['/api/v1/nothing', '/api', '/API/v1', '/admin/x', '/metrics/x', '/healthz/x']) {
    expect([path, (await answer(path))[1]]).toEqual([path, 'application/json'])
  }
  expect(await answer('/api/v1/nothing')).toEqual([401, 'application/json'])
  expect((await answer('/buckets', { method: 'POST' }))[0]).toBe(404)
})
