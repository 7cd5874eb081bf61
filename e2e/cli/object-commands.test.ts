/** `svc admin object …` against a running service that reaches no chain: objects are stored in the cache, and their copies wait. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { svcProgram } from '../../cli/testing/svc-program.ts'
import { type AdminData, createAdminData } from '../fixtures/admin-data.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { isTerminalMissing, runOnTerminal } from './run-on-terminal.ts'
import { type Service, startService } from './service.ts'

const objectBytesMax = 1_065_353_216

let service: Service
let data: AdminData
let dir: TemporaryDirectory
beforeAll(async () => {
  dir = temporaryDirectory()
  service = await startService()
  data = createAdminData(service)
  await data.makeBucket({ name: 'photos' })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  dir?.[Symbol.dispose]()
})

const object = (...words: string[]) => service.svc('admin', 'object', ...words)
const json = async (...words: string[]) => {
  const { stdout, stderr } = await object(...words, '--json')
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}
/** Copies of every object stay in progress without a chain, so the service refuses permanent deletions. */
const inProgress = {
  code: 1,
  stdout: '',
  stderr: 'fatal: the version cannot be deleted now: its copies are being stored; retry when its background tasks have finished\n',
}
const path = (name: string) => join(dir.path, name)
const partsLeft = () => readdirSync(dir.path).filter((name) => name.endsWith('.part'))

/** Larger than every buffer on the way. */
function makeFile(name: string, size = 3_000_000): { readonly file: string; readonly bytes: Buffer } {
  const bytes = randomBytes(size)
  writeFileSync(path(name), bytes)
  return { file: path(name), bytes }
}

/** The program with bytes on its standard input. */
async function pipe(words: readonly string[], input: Buffer) {
  const line = [svcProgram, 'admin', 'object', ...words, '--admin-url', service.adminUrl, '--config', service.configPath]
  const child = spawn(process.execPath, line, {
    env: { PATH: process.env.PATH, HOME: dir.path, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined).end(input)
  const [stdout, stderr, [code]] = await Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, 'close')])
  return { code, stdout, stderr: stderr.toString() }
}

test('a file is uploaded and downloaded byte for byte, with its type', async () => {
  const { file, bytes } = makeFile('sea.jpg')
  const uploaded = await json('upload', 'photos', '2026/sea.jpg', file, '--content-type', 'image/jpeg')
  expect(uploaded).toEqual({
    key: '2026/sea.jpg',
    version_id: expect.any(String),
    etag: expect.any(String),
    size: bytes.length,
    content_type: 'image/jpeg',
  })
  const saved = path('saved.jpg')
  expect(await object('download', 'photos', '2026/sea.jpg', saved)).toEqual({
    code: 0,
    stdout: `Object downloaded: 2026/sea.jpg\nFile: ${saved}\nSize: 2.86 MiB\nETag: ${uploaded.etag}\nContent type: image/jpeg\n`,
    stderr: '',
  })
  expect(readFileSync(saved).equals(bytes)).toBe(true)
  expect(partsLeft()).toEqual([])
})

test('bytes are read from standard input and written to standard output', async () => {
  const bytes = randomBytes(3_000_000)
  expect(await pipe(['upload', 'photos', 'piped', '-', '--json'], bytes)).toMatchObject({ code: 0, stderr: '' })
  const { code, stdout, stderr } = await pipe(['download', 'photos', 'piped', '-'], Buffer.alloc(0))
  expect({ code, stderr, isSame: stdout.equals(bytes) }).toEqual({ code: 0, stderr: '', isSame: true })
})

test('a download replaces a file with --overwrite only, and a failed one leaves nothing', async () => {
  const { file } = makeFile('kept', 200)
  await object('upload', 'photos', 'kept', file)
  writeFileSync(path('mine'), 'mine')
  expect(await object('download', 'photos', 'kept', path('mine'))).toEqual({
    code: 1,
    stdout: '',
    stderr: `fatal: ${path('mine')} already exists; nothing was changed. Replace it with --overwrite\n`,
  })
  expect(readFileSync(path('mine'), 'utf8')).toBe('mine')
  expect(await object('download', 'photos', 'not there', path('mine'), '--overwrite')).toMatchObject({ code: 1, stdout: '' })
  expect(readFileSync(path('mine'), 'utf8')).toBe('mine')
  expect((await object('download', 'photos', 'kept', path('mine'), '--overwrite')).code).toBe(0)
  expect(readFileSync(path('mine'))).toEqual(readFileSync(file))
  expect(partsLeft()).toEqual([])
})

test('objects are listed by page, by folder and by prefix', async () => {
  await data.makeBucket({ name: 'listed' })
  for (const key of ['a/1', 'b', 'c d']) await data.upload('listed', key)
  expect((await object('list', 'listed', '--folders')).stdout).toMatch(
    /^KEY +SIZE +STATUS +PLACE +CREATED +VERSION\na\/ +– +folder .*\nb +200 B +uploading +cache +\S+Z +\S+\nc d /,
  )
  expect((await object('list', 'listed', '--limit', '1')).stdout).toMatch(/\na\/1 .*\nMore: --after a\/1\n$/)
  const page = await json('list', 'listed', '--after', 'a/1')
  expect(page.objects.map(({ key }: { key: string }) => key)).toEqual(['b', 'c d'])
  expect((await json('list', 'listed', '--prefix', 'c')).objects).toHaveLength(1)
  expect((await object('list', 'listed', '--prefix', 'x')).stdout).toBe('No objects found.\n')
})

test('an older version is listed, downloaded and made current again', async () => {
  const { versionId: oldId, bytes } = await data.upload('photos', 'versioned')
  const { versionId: newId } = await data.upload('photos', 'versioned', randomBytes(300))
  expect((await object('versions', 'photos', 'versioned')).stdout).toMatch(
    new RegExp(`^VERSION +CURRENT +SIZE +STATUS +PLACE +CREATED\\n${newId} +yes +300 B .*\\n${oldId} +no +200 B .*\\n$`),
  )
  await object('download', 'photos', 'versioned', path('older'), '--version-id', oldId)
  expect(readFileSync(path('older')).equals(bytes)).toBe(true)
  const restored = await json('restore', 'photos', 'versioned', oldId)
  expect(restored).toEqual({ key: 'versioned', source_version_id: oldId, version_id: expect.any(String) })
  expect((await data.history('photos', 'versioned')).current_version_id).toBe(restored.version_id)
})

test('a permanent deletion of a version needs --yes, and waits for its copies', async () => {
  const { versionId: oldId } = await data.upload('photos', 'pruned')
  const { versionId: newId } = await data.upload('photos', 'pruned')
  expect(await object('delete', 'photos', 'pruned', '--version-id', oldId)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'fatal: deleting a version of pruned permanently must be confirmed with --yes\n',
  })
  expect(await object('delete', 'photos', 'pruned', '--version-id', oldId, '--yes')).toEqual(inProgress)
  expect((await data.history('photos', 'pruned')).versions).toMatchObject([{ version_id: newId }, { version_id: oldId }])
})

test('a deleted object is hidden, listed and restored', async () => {
  await data.upload('photos', 'hidden')
  expect(await object('restore', 'photos', 'hidden')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('hidden is not deleted; name the version'),
  })
  expect((await object('delete', 'photos', 'hidden')).stdout).toMatch(
    /^Object deleted: hidden\nDelete marker: \S+\nIts versions are kept; /,
  )
  expect((await object('list', 'photos', '--deleted')).stdout).toMatch(/^KEY +DELETED +SIZE +VERSION +DELETE_MARKER\nhidden +\S+Z +200 B /)
  expect((await object('versions', 'photos', 'hidden')).stdout).toMatch(/ +yes +– +delete marker +– /)
  expect((await object('restore', 'photos', 'hidden')).stdout).toMatch(/^Object restored: hidden\nVersion: \S+\n$/)
})

test('a permanent deletion of an object needs --yes, a delete marker, and no copies in progress', async () => {
  await data.upload('photos', 'gone')
  expect((await object('delete', 'photos', 'gone', '--permanently')).stderr).toBe(
    'fatal: deleting every version of gone permanently must be confirmed with --yes\n',
  )
  expect(await object('delete', 'photos', 'gone', '--permanently', '--yes')).toMatchObject({
    code: 1,
    stderr: 'fatal: gone is not deleted; delete it first with svc admin object delete photos gone\n',
  })
  await data.remove('photos', 'gone')
  expect(await object('delete', 'photos', 'gone', '--permanently', '--yes')).toEqual(inProgress)
  expect((await data.history('photos', 'gone')).versions).toHaveLength(2)
})

test('the status shows state and copies of the current or the given version', async () => {
  const { versionId: version_id } = await data.upload('photos', 'watched')
  expect((await object('status', 'photos', 'watched')).stdout).toMatch(
    new RegExp(`^Object: watched\\nVersion: ${version_id}\\nState: \\w+\\nStatus: \\w+\\n[\\s\\S]*Copies: 0 of 3 stored\\n`),
  )
  expect(await json('status', 'photos', 'watched', version_id)).toMatchObject({ version_id, requested_copies: 3, success_copies: 0 })
})

describe('refusals', () => {
  test('an object that is too large is refused before its bytes are sent', async () => {
    writeFileSync(path('large'), '')
    truncateSync(path('large'), objectBytesMax + 1)
    expect(await object('upload', 'photos', 'large', path('large'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('above the largest size'),
    })
  })

  test.each<[words: string[], code: number, message: unknown]>([
    [['upload', 'photos', 'k', '/nonexistent/file'], 1, expect.stringContaining('/nonexistent/file cannot be read')],
    [['upload', 'photos', 'k', '/tmp'], 1, '/tmp is a directory; an object is one file'],
    [['upload', 'photos', 'k', '/dev/null'], 1, expect.stringContaining('127')],
    [['download', 'photos', 'folder/'], 2, '"folder/" ends in no file name; name a file after it, or - for standard output'],
    [['download', 'photos', 'k', '-', '--json'], 2, expect.stringContaining('name a file')],
    [['download', 'photos', 'k', '/nonexistent/file'], 1, expect.any(String)],
    [['download', 'photos', 'k', '/tmp'], 1, '/tmp is a directory; name a file in it'],
    [['versions', 'photos', 'k'], 1, 'the bucket photos has no object k; svc admin object list photos shows its keys'],
    [['status', 'photos', 'k'], 1, 'the bucket photos has no object k; svc admin object list photos shows its keys'],
    [['list', 'nowhere'], 1, "there is no bucket 'nowhere'"],
    [['list', 'photos', '--limit', '1001'], 2, '--limit must be a whole number from 1 to 1000, got 1001'],
    [['list', 'photos', '--folders', '--deleted'], 2, '--folders does not go with --deleted'],
    [['delete', 'photos', 'k', '--version-id', 'x', '--permanently', '--yes'], 2, expect.stringContaining('choose one')],
    [['delete', 'photos', 'k', '--version-id', 'x', '--yes'], 1, expect.any(String)],
  ])('object %j', async (words, code, message) => {
    const refused = await object(...words)
    expect(refused).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^fatal: [^\n]+\n$/) })
    expect(refused.stderr.slice('fatal: '.length, -1)).toEqual(message)
  })
})

test.skipIf(isTerminalMissing)('a terminal shows the progress of a transfer and removes it at the end', async () => {
  const { file } = makeFile('bar', 3_000_000)
  const line = ['admin', 'object', 'upload', 'photos', 'bar', file, '--admin-url', service.adminUrl, '--config', service.configPath]
  const { code, shown } = await runOnTerminal(line, { cwd: dir.path })
  expect(code).toBe(0)
  const clearedLine = '\r\u001b[K'
  expect(shown).toContain(`${clearedLine}[${'#'.repeat(24)}] 100.0%  2.86 MiB of 2.86 MiB  `)
  expect(shown).toContain(`${clearedLine}Object uploaded: bar\n`)
})
