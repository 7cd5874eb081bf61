import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { basicAuth } from '#kernel/testing'
import { type SvcHome, svcHome } from '../testing/run-svc.ts'

const devMs = 120_000
const anyPorts = ['dev', '--dir', 'dev', '--s3-port', '0', '--admin-port', '0', '--providers', '2']

interface Ready {
  readonly base_url: string
  readonly s3_url: string
  readonly region: string
  readonly admin: { readonly username: string; readonly password: string }
  readonly s3: { readonly access_key: string; readonly secret_key: string }
  readonly config: string
  readonly devnet_info: string
  readonly providers: readonly { readonly service_url: string }[]
  readonly pid: number
}

const readyPath = (home: SvcHome): string => join(home.dir, 'dev', 'ready.json')
const anvilPath = (home: SvcHome): string => join(home.dir, 'dev', 'devnet', 'chain', 'anvil.pid')
const readReady = (home: SvcHome): Ready => JSON.parse(readFileSync(readyPath(home), 'utf8'))

function s3Client({ s3_url: endpoint, region, s3 }: Ready): S3Client {
  const credentials = { accessKeyId: s3.access_key, secretAccessKey: s3.secret_key }
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true })
}

test('svc dev becomes ready, stops everything it started, and continues with its data after a restart', {
  timeout: 2 * devMs,
}, async () => {
  using home = svcHome()
  const body = 'kept over the restart '.repeat(20)
  const object = { Bucket: 'first', Key: 'note.txt' }
  let first: Ready
  {
    // Variables of a real gateway are ignored.
    await using svc = home.start(anyPorts, { SVC_CHAIN_NETWORK: 'mainnet' })
    await svc.line(/^warning: svc dev ignores .*: SVC_CHAIN_NETWORK$/)
    await svc.line(/svc is ready/)
    first = readReady(home)
    await svc.line(/^ {2}Objects +127 to 1,065,353,216 bytes each$/)
    const [, SVC_CONFIG = ''] = /=(.+)$/.exec(await svc.line(/^ {2}export SVC_CONFIG=/)) ?? []
    expect(await svc.line(/admin status$/)).toMatch(/^ {2}\S+ admin status$/)
    expect(await home.run(['admin', 'status'], { SVC_CONFIG })).toMatchObject({ code: 0, stderr: '' })
    expect(statSync(readyPath(home)).mode & 0o777).toBe(0o600)
    expect(first.providers).toHaveLength(2)
    const { username, password } = first.admin
    const settings = await fetch(`${first.base_url}/healthz`, { headers: { authorization: basicAuth(username, password) } })
    expect(await settings.json()).toMatchObject({ status: 'ok' })
    const s3 = s3Client(first)
    await s3.send(new CreateBucketCommand({ Bucket: object.Bucket }))
    await s3.send(new PutObjectCommand({ ...object, Body: body }))
    const restarted = await fetch(`${first.base_url}/api/v1/restart`, {
      method: 'POST',
      headers: { authorization: basicAuth(username, password) },
    })
    expect(restarted.status).toBe(202)
    await svc.line(/^svc is back/)
    await expect.poll(async () => (await fetch(`${first.base_url}/healthz`).catch(() => undefined))?.status, { timeout: devMs }).toBe(200)
    expect(await (await s3.send(new GetObjectCommand(object))).Body?.transformToString()).toBe(body)
    s3.destroy()
    const other = await home.run(anyPorts)
    expect(other.stderr).toContain(`svc dev (process ${first.pid}) already runs in ${join(home.dir, 'dev')}`)
    expect(await svc.stop('SIGINT')).toBe(0)
  }
  for (const path of [readyPath(home), anvilPath(home)]) expect(existsSync(path)).toBe(false)
  {
    await using svc = home.start([...anyPorts, '--any-size'])
    await svc.line(/svc is ready/)
    await svc.line(/^ {2}Objects +0 to 5,497,558,138,880 bytes each$/)
    const again = readReady(home)
    expect([again.s3, again.admin]).toEqual([first.s3, first.admin])
    const s3 = s3Client(again)
    expect(await (await s3.send(new GetObjectCommand(object))).Body?.transformToString()).toBe(body)
    s3.destroy()
    expect(await svc.stop('SIGTERM')).toBe(0)
  }
})

test('a failed start stops what it started and reports why', { timeout: devMs }, async () => {
  using home = svcHome()
  mkdirSync(join(home.dir, 'dev', 'gateway'), { recursive: true })
  writeFileSync(join(home.dir, 'dev', '.made-by-svc-dev'), '')
  writeFileSync(join(home.dir, 'dev', 'gateway', 'config.toml'), '[admin\n')
  const { code, stderr } = await home.run(anyPorts)
  expect(code).toBe(1)
  expect(stderr).toMatch(/Starting the gateway\nStopped\.\nfatal: .*config\.toml is not valid TOML/)
  for (const path of [readyPath(home), anvilPath(home), join(home.dir, 'dev', 'svc.lock.holder')]) expect(existsSync(path)).toBe(false)
})

test('one port for both listeners is refused before anything starts', async () => {
  using home = svcHome()
  const { code, stderr } = await home.run(['dev', '--dir', 'dev', '--admin-port', '8123', '--s3-port', '8123'])
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'fatal: --s3-port and --admin-port must differ, got 8123 for both\n' })
  expect(existsSync(join(home.dir, 'dev'))).toBe(false)
})

test('a taken port is refused before anything starts', async () => {
  using home = svcHome()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { code, stderr } = await home.run(['dev', '--dir', 'dev', '--admin-port', String(port), '--s3-port', '0'])
  server.close()
  expect(code).toBe(1)
  expect(stderr).toBe(
    `fatal: in use by another program on 127.0.0.1: --admin-port ${port}; choose others with --admin-port (0 takes any free port)\n`,
  )
  expect(existsSync(join(home.dir, 'dev'))).toBe(false)
})
