/** Changes that need --yes: refused before any byte is sent, done with it. No other command needs it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { type Service, startService } from './service.ts'

let service: Service
/** Counts its connections. */
let listener: Server
let arrived = 0
beforeAll(async () => {
  service = await startService()
  listener = createServer((_request, response) => void response.setHeader('connection', 'close').end()).on('connection', () => {
    arrived += 1
  })
  await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready))
})
afterAll(async () => {
  listener?.close()
  await service?.[Symbol.asyncDispose]()
})

async function sendNowhere(words: readonly string[]) {
  using home = svcHome()
  const before = arrived
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const end = await home.run(['admin', ...words, '--admin-url', url], { SVC_ADMIN_PASSWORD: 'x' })
  return { end, connections: arrived - before }
}

const user = 'Q3bXk0r9T2mZ5vYw8LsNaA'
const risky: readonly (readonly [words: readonly string[], what: string])[] = [
  [['settings', 'set', 'chain.network=mainnet'], 'chain.network=mainnet'],
  [['settings', 'set', 'cache.max_size_gb=7', 'chain.network=MainNet'], 'chain.network=MainNet'],
  [['settings', 'set', 'chain.allow_private_networks=true'], 'chain.allow_private_networks=true'],
  [['s3-user', 'create', '--role', 'admin'], 'the role admin'],
  [['s3-user', 'update', user, '--role', 'admin'], 'the role admin'],
  [['s3-user', 'delete', user], `deleting the S3 user ${user}`],
  [['storage-confirmation', 'release', '42', '--attempt-id', '7'], 'releasing copy 42, which may then be paid twice,'],
  [['task', 'acknowledge'], 'dismissing every failure'],
  [['task', 'acknowledge', '--type', 'storage_store'], 'dismissing every failure'],
  [['task', 'acknowledge', '--before', '2026-01-31T12:00:00Z'], 'dismissing every failure'],
]

test.each(risky)('svc admin %j is refused without --yes, and nothing is sent', async (words, what) => {
  const { end, connections } = await sendNowhere(words)
  expect(end).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^fatal: [^\n]+ must be confirmed with --yes[^\n]*\n$/) })
  expect(end.stderr).toContain(`fatal: ${what} must be confirmed`)
  expect(connections).toBe(0)
})

test.each(['--yes=no', '--yes=false', '--no-yes', '--yes=true'])('%s does not confirm', async (flag) => {
  const { end, connections } = await sendNowhere(['s3-user', 'delete', user, flag])
  expect(end).toMatchObject({ code: 2, stdout: '' })
  expect(connections).toBe(0)
})

test.each(risky)('svc admin %j is sent with --yes', async (words) => {
  const { connections } = await sendNowhere([...words, '--yes'])
  expect(connections).toBeGreaterThan(0)
})

const svc = (...words: string[]) => service.svc('admin', ...words)
const create = async (...flags: string[]) => JSON.parse((await svc('s3-user', 'create', '--json', ...flags)).stdout)

describe('with --yes', () => {
  test('an S3 user gets the role admin, at its creation or later, and is deleted', async () => {
    expect(await create('--role', 'admin', '--yes')).toMatchObject({ role: 'admin' })
    const { access_key } = await create()
    expect((await svc('s3-user', 'update', access_key, '--role', 'admin', '--yes')).stdout).toMatch(new RegExp(`${access_key} +admin `))
    expect((await svc('s3-user', 'delete', access_key, '--yes')).code).toBe(0)
    expect((await svc('s3-user', 'list')).stdout).not.toContain(access_key)
  })

  test.each(['chain.network=mainnet', 'chain.allow_private_networks=true'])('%s is saved', async (pair) => {
    const [key = '', value] = pair.split('=')
    expect((await svc('settings', 'set', pair, '--yes')).code).toBe(0)
    expect((await svc('settings', 'get', key, '--value')).stdout).toBe(`${value}\n`)
  })

  test('failures are dismissed', async () => {
    expect(await svc('task', 'acknowledge', '--yes')).toEqual({ code: 0, stdout: '0 failed tasks acknowledged\n', stderr: '' })
  })
})

test('no other change needs --yes', async () => {
  const { access_key } = await create('--role', 'userplus')
  const lines = [
    ['s3-user', 'create', '--role', 'user'],
    ['s3-user', 'update', access_key, '--role', 'user'],
    ['s3-user', 'rotate-secret', access_key],
    ['s3-user', 'list'],
    ['settings', 'set', 'chain.network=calibration'],
    ['settings', 'set', 'chain.allow_private_networks=false'],
    ['settings', 'set', 'server.max_connections=9000', 'server.max_requests=8000', 's3.region=eu-1', 'cache.max_size_gb=1'],
    ['settings', 'set', 'cache.eviction_policy=none', 'chain.default_copies=1', 'worker.tasks.concurrency=1'],
  ]
  for (const words of lines) expect(await svc(...words), words.join(' ')).toMatchObject({ code: 0, stderr: '' })
})
