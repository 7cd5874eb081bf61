/** `svc backup`, `svc backup verify` and `svc restore` of whole gateways. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { beforeAll, expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { flipByte } from '../../plugins/storage/testing/flip-byte.ts'
import { listCachedFiles } from '../fixtures/cached-files.ts'
import { emptyWalletKey } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { type Acknowledged, backUpUnderLoad, put, readBack } from './load.ts'

const bucket = 'kept'
const home = svcHome()
const source = temporaryDirectory()
const objects: Acknowledged[] = []
let config: string
const backupDir = () => join(home.dir, `backup-${randomBytes(4).toString('hex')}`)
const backUp = (dir: string, ...flags: string[]) => home.run(['backup', dir, '--config', config, ...flags])

/** A stopped gateway with objects in files and in the database, none of which has a copy. */
beforeAll(async () => {
  await using gateway = await startServeHere({ dir: source.path })
  const s3 = gateway.connect(await gateway.createUser())
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  for (const size of [1000, 30_000, 1_500_000]) objects.push(await put(s3, bucket, `object-${size}`, randomBytes(size)))
  config = gateway.configPath
  return () => [home, source].forEach((place) => void place[Symbol.dispose]())
})

test('a gateway that is restored from a backup with secrets serves every object', async () => {
  const dir = backupDir()
  const made = await backUp(dir, '--with-secrets', '--json')
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(made.stdout)).toMatchObject({ files: 2, file_bytes: 1_530_000, damaged: 0, only_at_providers: { contents: 0 } })
  expect(await home.run(['backup', 'verify', dir])).toEqual({
    code: 0,
    stdout: `4 files compared: the backup in ${dir} is intact\n`,
    stderr: '',
  })
  const to = join(home.dir, 'restored')
  const restored = await home.run(['restore', dir, '--to', to])
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toContain('only at providers: 0 contents')
  expect(await home.run(['doctor', '--config', join(to, 'config.toml'), '--local', '--whole', '--only', 'storage'])).toMatchObject({
    code: 0,
  })
  await using gateway = await startServeHere({ dir: to })
  expect(await readBack(gateway.connect(await gateway.createUser()), bucket, objects)).toEqual([])
})

test('without --with-secrets no file has the wallet key, the password or the session secret, and restore names what is missing', async () => {
  const dir = backupDir()
  await backUp(dir)
  const [run = ''] = readdirSync(dir).filter((name) => name.startsWith('run-'))
  const text = readFileSync(join(dir, run, 'config.toml'), 'utf8')
  expect(text).toContain('rpc_url = "http://127.0.0.1:9"')
  for (const secret of [emptyWalletKey, 'a session secret that only tests use', 'scrypt']) expect(text).not.toContain(secret)
  const to = join(home.dir, 'without-secrets')
  const { stdout } = await home.run(['restore', dir, '--to', to])
  expect(stdout).toContain('Not in the backup: admin.auth.password_hash, admin.auth.session_secret, chain.private_key')
  expect(stdout).toMatch(/admin-auth reset-password --config /)
  expect((await home.run(['admin-auth', 'reset-password', '--config', join(to, 'config.toml')])).code).toBe(0)
  await using gateway = await startServeHere({ dir: to, env: { SVC_CHAIN_PRIVATE_KEY: emptyWalletKey, SVC_ADMIN_AUTH_ENABLED: 'false' } })
  expect(gateway.log()).toContain('is running')
})

test('a damaged byte in the backup is found, and nothing is restored', async () => {
  const dir = backupDir()
  await backUp(dir)
  const file = readdirSync(join(dir, 'files'), { recursive: true, withFileTypes: true }).find((entry) => entry.isFile())
  await flipByte(join(file?.parentPath ?? '', file?.name ?? ''), 7)
  const verified = await home.run(['backup', 'verify', dir])
  expect(verified.code).toBe(1)
  expect(verified.stdout).toMatch(new RegExp(`^1 of 4 files are missing or damaged:\n  files/cache/blobs/.*/${file?.name} is damaged\n`))
  const to = join(home.dir, 'not-restored')
  const restored = await home.run(['restore', dir, '--to', to])
  expect(restored.code).toBe(1)
  expect(restored.stderr).toMatch(/^fatal: .* is damaged; nothing was restored\. /)
  expect(readdirSync(to)).toEqual([])
  // A file that was deleted is copied again.
  rmSync(join(file?.parentPath ?? '', file?.name ?? ''))
  expect((await home.run(['backup', 'verify', dir])).stdout).toContain(' is missing\n')
  expect((await backUp(dir)).code).toBe(0)
  expect((await home.run(['backup', 'verify', dir])).code).toBe(0)
})

test('a damaged file of the cache is named with its object; the other objects are saved', async () => {
  using other = temporaryDirectory()
  let configPath: string
  {
    await using gateway = await startServeHere({ dir: other.path })
    const s3 = gateway.connect(await gateway.createUser())
    await s3.send(new CreateBucketCommand({ Bucket: bucket }))
    await put(s3, bucket, 'broken', randomBytes(20_000))
    configPath = gateway.configPath
  }
  await flipByte(listCachedFiles(other.path)[0] ?? '', 7)
  const made = await home.run(['backup', backupDir(), '--config', configPath])
  expect(made.code).toBe(3)
  expect(made.stdout).toContain('Damaged in the cache, and not in the backup: 1 files; run svc doctor --whole\n  kept/broken (blobs/')
})

test('restore refuses a directory with files, and backup one inside of the data', async () => {
  const dir = backupDir()
  await backUp(dir)
  const to = temporaryDirectory()
  writeFileSync(join(to.path, 'mine'), '')
  expect((await home.run(['restore', dir, '--to', to.path])).stderr).toBe(
    `fatal: ${to.path} is not empty: it has mine; nothing was changed. Name a new directory\n`,
  )
  to[Symbol.dispose]()
  expect((await backUp(join(source.path, 'cache', 'backup'))).stderr).toContain('which it is to save; name a directory on another disk')
  expect((await home.run(['restore', source.path, '--to', join(home.dir, 'x')])).stderr).toContain('has no backup: backup.json is missing')
})

test('PostgreSQL is refused with the tool to use', async () => {
  const { code, stderr } = await home.run(['backup', backupDir(), '--config', config], {
    SVC_DATABASE_DRIVER: 'postgres',
    SVC_DATABASE_DSN: 'postgres://user@db.example/svc',
  })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^fatal: svc copies no PostgreSQL database: use pg_dump for it, /),
  })
})

test('two backups at random moments under load restore to every object that was acknowledged before', async () => {
  const report = await backUpUnderLoad({ moments: 2 })
  expect(report.lost).toEqual([])
  expect(report.checked).toBeGreaterThan(20)
})
