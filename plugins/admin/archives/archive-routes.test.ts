import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { clock, database } from '#kernel'
import { promised, silentLog, startTestListener, type TestKernel, testAuthorization, testKernel } from '#kernel/testing'
import { buckets, objects, versions } from '#plugins/storage'
import { storagePlugin } from '../../storage/plugin.ts'
import { chunksOf, plainHeaders } from '../../storage/testing/object-storage.ts'
import { adminPlugin } from '../plugin.ts'
import { prepareArchive } from './archive-api.ts'
import { archiveRoutes } from './archive-routes.ts'

let svc: TestKernel
const bucket = '/api/v1/buckets/photos'

beforeAll(async () => {
  svc = await testKernel({ plugins: [storagePlugin, adminPlugin] })
  await svc.kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
})
afterAll(() => svc.stop())

const put = (key: string, text: string) => {
  const body = Buffer.from(text.padEnd(200))
  return svc.kernel.get(objects).put({ bucket: 'photos', key, body: chunksOf(body), size: body.length, headers: plainHeaders })
}
const prepare = (targets: readonly object[]) => svc.call('POST', `${bucket}/archives`, { targets })

/** Files of an archive by their path, as an independent program unpacks it. */
function unpack(bytes: Buffer): ReadonlyMap<string, string> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-archive-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'a.zip'), bytes)
  execFileSync('python3', [
    '-c',
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])',
    join(dir, 'a.zip'),
    join(dir, 'out'),
  ])
  const out = join(dir, 'out')
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(out.length + 1), readFileSync(path, 'utf8').trim()]
    }),
  )
}

test('two downloads of one ticket at the same time are one download', async () => {
  await put('raced', 'x')
  const { kernel } = svc
  const services = {
    clock: kernel.get(clock),
    database: kernel.get(database),
    buckets: kernel.get(buckets),
    objects: kernel.get(objects),
    versions: kernel.get(versions),
    log: silentLog,
  }
  await using listener = await startTestListener({ routes: [{ answer: 'serve', services, group: archiveRoutes }] })
  const headers = { authorization: testAuthorization }
  const payload = { targets: [{ key: 'raced' }] }
  const { ticket } = (await listener.inject({ method: 'POST', url: `${bucket}/archives`, headers, payload })).json()
  const download = () => listener.inject({ url: `/api/v1/archives/${ticket}`, headers })
  const answers = await Promise.all([download(), download()])
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404])
})

test('named objects and folders are one ZIP file with their bytes; names that climb out of it do not', async () => {
  for (const key of ['a.txt', 'dir/b.txt', 'dir/deep/c.txt', '../../climb.txt', 'other']) await put(key, `bytes of ${key}`)
  const { ticket, objects: count } = promised(
    prepareArchive,
    await prepare([{ key: 'a.txt' }, { prefix: 'dir/' }, { key: '../../climb.txt' }]),
  )
  expect(count).toBe(4)
  const answer = await svc.fetch(`/api/v1/archives/${ticket}`)
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="photos.zip"')
  const files = unpack(Buffer.from(await answer.arrayBuffer()))
  expect(Object.fromEntries(files)).toEqual({
    'a.txt': 'bytes of a.txt',
    'dir/b.txt': 'bytes of dir/b.txt',
    'dir/deep/c.txt': 'bytes of dir/deep/c.txt',
    'climb.txt': 'bytes of ../../climb.txt',
  })
})

test('a ticket works once, and an archive of nothing is refused', async () => {
  await put('once', 'x')
  const { ticket } = promised(prepareArchive, await prepare([{ key: 'once' }]))
  await (await svc.fetch(`/api/v1/archives/${ticket}`)).arrayBuffer()
  expect((await svc.fetch(`/api/v1/archives/${ticket}`)).status).toBe(404)
  expect((await svc.fetch('/api/v1/archives/unknown')).status).toBe(404)
  expect(await prepare([{ key: 'absent' }])).toMatchObject({ status: 404, body: { code: 'archive_empty' } })
})

test('an object that vanishes before its turn breaks the download, instead of leaving a whole file without it', async () => {
  for (const key of ['v/1', 'v/2']) await put(key, 'x')
  const { ticket } = promised(prepareArchive, await prepare([{ key: 'v/1' }, { key: 'v/2' }]))
  await svc.kernel.get(objects).delete('photos', 'v/2')
  await expect(svc.fetch(`/api/v1/archives/${ticket}`).then((answer) => answer.arrayBuffer())).rejects.toThrow()
  // A further download is possible: the broken one holds no place.
  for (let n = 0; n < 5; n += 1) {
    const next = promised(prepareArchive, await prepare([{ key: 'v/1' }]))
    expect((await svc.fetch(`/api/v1/archives/${next.ticket}`)).status).toBe(200)
  }
})
