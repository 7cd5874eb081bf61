/** A second `svc serve` on the data of a running one, as after a rolling update or with a wrong unit file. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { sqlStatement } from '#kernel'
import { hasPostgres, newPostgresDatabase, openTestDatabase } from '#kernel/testing'
import { listCachedFiles } from '../fixtures/cached-files.ts'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'

const bucket = 'two-gateways'

async function readBack(s3: S3Client, key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

/** Sends the first half of an upload. Returns a function that sends the rest. */
function beginUpload(svc: ServeProcess, key: string, bytes: Buffer) {
  const { promise: answered, resolve, reject } = Promise.withResolvers<string>()
  const headers = { ...svc.headersOf({}), 'content-length': bytes.length }
  const sent = request(`${svc.adminUrl}/api/v1/buckets/${bucket}/objects/upload?key=${key}`, { method: 'POST', headers })
  sent.once('error', reject)
  sent.once('response', async (response) => resolve(`${response.statusCode} ${await text(response)}`))
  const half = bytes.length / 2
  sent.write(bytes.subarray(0, half))
  return async () => {
    sent.end(bytes.subarray(half))
    return answered
  }
}

/** Writes objects one after another until `stop()`, which resolves with the acknowledged ones. */
function keepWriting(s3: S3Client) {
  const written = new Map<string, Buffer>()
  let isStopped = false
  const writing = (async () => {
    while (!isStopped) {
      const [key, bytes] = [`written-${written.size}`, randomBytes(2000)]
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }))
      written.set(key, bytes)
    }
  })()
  return {
    written,
    async stop() {
      isStopped = true
      await writing
      return written
    },
  }
}

test('I-26: a second gateway is refused while the first one writes, no object is lost, and it starts right after a SIGKILL of the first', async () => {
  using directory = temporaryDirectory()
  const dir = directory.path
  await using stack = new AsyncDisposableStack()
  const first = stack.use(await startServe({ dir }))
  const user = await first.createUser()
  const s3 = stack.adopt(first.connect(user), (client) => client.destroy())
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const slow = randomBytes(1024 * 1024)
  const finishSlow = beginUpload(first, 'slow', slow)
  await until('the first half of the upload', async () => listCachedFiles(dir)[0], { everyMs: 20 })
  const writer = keepWriting(s3)

  for (const settings of ['the same data', 'another database', 'another cache']) {
    const overrides: Readonly<Record<string, Record<string, string>>> = {
      'another database': { SVC_DATABASE_DSN: join(dir, 'other', 'svc.db') },
      'another cache': { SVC_CACHE_DIR: join(dir, 'other', 'cache') },
    }
    const what = settings === 'another database' ? 'cache directory' : 'database'
    await expect(startServe({ dir, env: overrides[settings] ?? {} })).rejects.toThrow(
      new RegExp(`svc serve ended with 1:\\nfatal: the ${what} .+ is in use by another svc \\(process \\d+ on .+\\); stop it first`),
    )
  }
  expect(existsSync(join(dir, 'other', 'svc.db'))).toBe(false)

  const before = writer.written.size
  await until('further objects', async () => writer.written.size > before || undefined, { everyMs: 20 })
  const objects = new Map([...(await writer.stop()), ['slow', slow]])
  expect(await finishSlow()).toMatch(/^200 /)
  for (const [key, bytes] of objects) expect((await readBack(s3, key)).equals(bytes), key).toBe(true)

  await first.kill()
  const second = stack.use(await startServe({ dir }))
  const again = stack.adopt(second.connect(user), (client) => client.destroy())
  for (const [key, bytes] of objects) expect((await readBack(again, key)).equals(bytes), key).toBe(true)
})

const holders = sqlStatement<{ pid: number }, { ended: number }>(
  "select count(pg_terminate_backend(pid, 5000)) as ended from pg_stat_activity where application_name like 'svc, process ' || :pid || ' on %'",
)

test.skipIf(!hasPostgres())(
  'I-39: a gateway whose database another one took while it was paused ends, with the reason in its log',
  async () => {
    await using stack = new AsyncDisposableStack()
    const database = await newPostgresDatabase()
    const settings = { 'database.driver': 'postgres', 'database.dsn': database, 'database.allow_unsafe': true }
    const first = stack.use(await startServe({ settings }))
    const user = await first.createUser()
    // The server ends the sessions of a machine that does not answer.
    first.pause()
    const observer = stack.use(await openTestDatabase([], { dsn: await newPostgresDatabase() }))
    expect((await observer.read.get(holders, { pid: first.pid }))?.ended).toBeGreaterThan(0)
    const second = stack.use(await startServe({ settings }))
    expect((await second.call('DELETE', `/api/v1/s3-users/${user.access_key}`)).status).toBe(204)

    first.resume()
    expect(await first.ended).toBe(null)
    expect(first.exitCode()).toBe(1)
    expect(first.log()).toContain('ending: the data in memory may be stale')
    expect(first.log()).toMatch(/another svc used the database postgres:\/\/\S+ while this one had no connection to it; restart this svc/)
    expect((await second.call('GET', '/api/v1/s3-users')).status).toBe(200)
  },
)
