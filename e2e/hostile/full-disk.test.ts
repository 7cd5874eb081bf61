/** Writes to the database fail with a full disk or a file size limit, and succeed again later. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { createAdminData } from '../fixtures/admin-data.ts'
import { listCachedFiles } from '../fixtures/cached-files.ts'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
import { createTaskCalls, readTasks, taskPlugin } from '../fixtures/task-gateway.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'

interface SmallDisk extends Disposable {
  /** The error that `/healthz` reports. */
  readonly problem: string
  fill(): void
  free(): void
}

const run = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0
const databaseDir = (dir: string) => join(dir, 'db')

/** Limits file sizes of the process: the WAL is already longer than the limit, objects and the service log are shorter. */
function limitFiles(dir: string): SmallDisk {
  const bytesMax = 64 * 1024
  const limit = (bytes: number | 'unlimited') => {
    const { pid } = JSON.parse(readFileSync(join(databaseDir(dir), 'svc.db.lock.holder'), 'utf8'))
    expect(run('prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`)).toBe(true)
  }
  return {
    problem: 'db: not writable',
    fill() {
      expect(statSync(join(databaseDir(dir), 'svc.db-wal')).size).toBeGreaterThan(bytesMax)
      limit(bytesMax)
    },
    free: () => limit('unlimited'),
    [Symbol.dispose]() {},
  }
}

/** Mounts a small tmpfs for the database, which needs root. */
function mountSmallDisk(dir: string): SmallDisk {
  mkdirSync(databaseDir(dir))
  expect(run('mount', '-t', 'tmpfs', '-o', 'size=8m', 'none', databaseDir(dir))).toBe(true)
  const ballast = join(databaseDir(dir), 'ballast')
  return {
    problem: 'db: disk full',
    fill() {
      const file = openSync(ballast, 'w')
      expect(() => {
        for (;;) writeSync(file, Buffer.alloc(4096))
      }).toThrow('ENOSPC')
      closeSync(file)
    },
    free: () => rmSync(ballast),
    [Symbol.dispose]: () => void run('umount', '-l', databaseDir(dir)),
  }
}

function mayMount(): boolean {
  using directory = temporaryDirectory()
  return run('mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', directory.path) && run('umount', directory.path)
}

const bucket = 'full-disk'

/** Write requests by name, all of which succeed on a healthy disk. */
async function prepareAdminRequests(svc: ServeProcess, accessKey: string) {
  const data = createAdminData(svc)
  const other = await svc.createUser()
  const kept = await data.upload(bucket, 'versions')
  await data.upload(bucket, 'versions')
  await data.upload(bucket, 'trash')
  const marker = await data.remove(bucket, 'trash')
  const at = `/api/v1/buckets/${bucket}`
  const version = { key: 'versions', version_id: kept.versionId }
  const current = (await data.history(bucket, 'versions')).versions[0]?.version_id
  const call = (method: string, path: string, json?: object) => () => svc.call(method, path, json === undefined ? {} : { json })
  return {
    'new bucket': call('POST', '/api/v1/buckets', { name: 'another', owner_access_key: accessKey }),
    'bucket owner': call('PUT', `${at}/owner`, { owner_access_key: accessKey }),
    'copy policy': call('PUT', `${at}/copy-policy`, { default_copies: 2 }),
    upload: () => svc.call('POST', `${at}/objects/upload?key=late`, { body: randomBytes(500) }),
    'restore of a version': call('POST', `${at}/objects/versions/restore`, { ...version, expected_current_version_id: current }),
    'restore of a deleted object': call('POST', `${at}/objects/restore`, { key: 'trash', delete_marker_version_id: marker }),
    'deletion of an object': call('DELETE', `${at}/objects?key=versions`),
    'new S3 user': call('POST', '/api/v1/s3-users', { role: 'admin' }),
    'secret of an S3 user': call('POST', `/api/v1/s3-users/${other.access_key}/secret`),
    'deletion of an S3 user': call('DELETE', `/api/v1/s3-users/${other.access_key}`),
    'acknowledgement of tasks': call('POST', '/api/v1/tasks/acknowledge', {}),
  }
}

const s3Requests = (s3: S3Client) => ({
  PutObject: () => s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'late', Body: randomBytes(500) })),
  DeleteObject: () => s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'before' })),
  CreateBucket: () => s3.send(new CreateBucketCommand({ Bucket: 'another' })),
})

async function expectRefusals(s3: S3Client, requests: Awaited<ReturnType<typeof prepareAdminRequests>>) {
  for (const [name, request] of Object.entries(requests)) {
    const { status, json } = await request()
    expect([name, status, json.code], name).toEqual([name, 507, expect.stringMatching(/^database_(full|unwritable)$/)])
    expect(json.error).toMatch(/disk/)
  }
  for (const [name, request] of Object.entries(s3Requests(s3))) {
    await expect(request(), name).rejects.toMatchObject({
      name: 'InsufficientStorage',
      message: expect.stringContaining('disk'),
      $metadata: { httpStatusCode: 507 },
    })
  }
}

const healthOf = async (svc: ServeProcess) => (await svc.call('GET', '/healthz', { as: 'anonymous' })).json

async function fillAndFree(dir: string, disk: SmallDisk): Promise<void> {
  const settings = {
    'plugins.packages': [taskPlugin],
    'worker.tasks.poll_interval': '100ms',
    'worker.tasks.lease_duration': '2s',
    // The objects are small: with files they need the disk of the cache.
    'cache.database_object_bytes': 0,
  }
  await using stack = new AsyncDisposableStack()
  const svc = stack.use(await startServe({ dir, settings }))
  const user = await svc.createUser()
  const s3 = stack.adopt(svc.connect(user), (client) => client.destroy())
  await createAdminData(svc).makeBucket({ name: bucket, default_copies: 1, owner_access_key: user.access_key })
  const before = randomBytes(500)
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'before', Body: before }))
  const requests = await prepareAdminRequests(svc, user.access_key)
  const tasks = createTaskCalls(svc)
  await tasks.putUntil('failed', { end: 'fail' })
  const held = await tasks.putUntil('running', { end: 'hold' })

  const files = listCachedFiles(dir)
  disk.fill()
  await expectRefusals(s3, requests)
  // A refused object leaves no file in the cache.
  if (disk.problem === 'db: disk full') expect(listCachedFiles(dir)).toEqual(files)
  expect(await healthOf(svc)).toMatchObject({ status: 'unhealthy', errors: expect.arrayContaining([disk.problem]) })
  // The database cannot record the end of the task now.
  await tasks.release()
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'before' }))
  expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(before)).toBe(true)
  await until('a failed claim of tasks', async () => svc.log().includes('due tasks could not be claimed') || undefined, { everyMs: 50 })

  disk.free()
  await until('health', async () => ((await healthOf(svc)).status === 'ok' ? true : undefined))
  const ended = await until('the end of the held task', async () => {
    await tasks.release()
    return (await readTasks(svc, '?limit=100')).tasks.find(({ id, status }) => id === held.id && status === 'completed')
  })
  expect(ended).toMatchObject({ retry_count: 0 })
  // The refused requests left nothing behind, so all succeed when repeated.
  for (const [name, request] of Object.entries(requests)) expect((await request()).status, name).toBeLessThan(300)
  const key = { Bucket: bucket, Key: 'late' }
  expect((await s3.send(new PutObjectCommand({ ...key, Body: before }))).VersionId).toBeDefined()
  expect(svc.log()).toContain(`the database ${join(databaseDir(dir), 'svc.db')}: `)
  await svc.stop()
}

test.skipIf(!run('prlimit', '--version'))(
  'an unwritable database: writes answer 507, health reports it, work resumes automatically',
  async () => {
    using directory = temporaryDirectory()
    using disk = limitFiles(directory.path)
    await fillAndFree(directory.path, disk)
  },
)

test.skipIf(!mayMount())('a full disk under the database: writes answer 507, health reports it, work resumes automatically', async () => {
  using directory = temporaryDirectory()
  using disk = mountSmallDisk(directory.path)
  await fillAndFree(directory.path, disk)
})
