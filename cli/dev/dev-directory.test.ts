import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockFile } from '#kernel/system'
import { openDevDirectory } from './dev-directory.ts'
import { requireDevnetPorts, requireFreePorts } from './free-ports.ts'

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-dev-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('a directory is created private, reused, and emptied only with --fresh', () => {
  const dir = join(temporaryDir(), 'new')
  {
    using made = openDevDirectory(dir, { isFresh: false })
    writeFileSync(made.credentials, 'kept')
    writeFileSync(made.ready, '{}')
  }
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  {
    using again = openDevDirectory(dir, { isFresh: false })
    expect(existsSync(again.credentials)).toBe(true)
    expect(existsSync(again.ready)).toBe(false)
  }
  using fresh = openDevDirectory(dir, { isFresh: true })
  expect(existsSync(fresh.credentials)).toBe(false)
})

test.each([false, true])('a directory that svc dev did not make is not changed (fresh: %s)', (isFresh) => {
  const dir = temporaryDir()
  writeFileSync(join(dir, 'thesis.txt'), 'years of work')
  expect(() => openDevDirectory(dir, { isFresh })).toThrow('was not made by svc dev; choose another directory with --dir')
  expect(existsSync(join(dir, 'thesis.txt'))).toBe(true)
})

test('a directory in use is refused with and without --fresh, and not changed', () => {
  const dir = join(temporaryDir(), 'new')
  {
    using used = openDevDirectory(dir, { isFresh: false })
    writeFileSync(used.ready, '{}')
    for (const isFresh of [false, true]) {
      expect(() => openDevDirectory(dir, { isFresh })).toThrow(`svc dev (process ${process.pid}) already runs in ${dir}; stop it`)
    }
    expect(existsSync(used.ready)).toBe(true)
  }
  openDevDirectory(dir, { isFresh: false })[Symbol.dispose]()
})

test('--fresh is refused while another svc runs on the data of the gateway', () => {
  const dir = join(temporaryDir(), 'new')
  const made = openDevDirectory(dir, { isFresh: false })
  const { gateway } = made
  made[Symbol.dispose]()
  writeFileSync(join(dir, 'svc.log'), 'kept')
  {
    using _served = lockFile(join(gateway, 'cache', 'svc.lock'))
    expect(() => openDevDirectory(dir, { isFresh: true })).toThrow(`another svc (process ${process.pid}) uses ${gateway}; stop it`)
  }
  expect(existsSync(join(dir, 'svc.log'))).toBe(true)
})

test('every taken port is named with the flag that chooses another', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  await expect(requireFreePorts({ '--s3-port': port, '--admin-port': 0 })).rejects.toThrow(
    `in use by another program on 127.0.0.1: --s3-port ${port}; choose others with --s3-port (0 takes any free port)`,
  )
  await requireFreePorts({ '--s3-port': 0, '--admin-port': 0 })
})

test('the ports that the devnet keeps from its first start are checked, each named with its owner', async () => {
  const dir = temporaryDir()
  await requireDevnetPorts(dir)
  const servers = [0, 1, 2].map(() => createServer().listen(0, '127.0.0.1'))
  const ports = await Promise.all(
    servers.map(async (server) => (await once(server, 'listening')) && (server.address() as { port: number }).port),
  )
  const url = (at: number) => `http://127.0.0.1:${ports[at]}`
  const providers = [1, 2].map((id) => ({ provider_id: id, pdp_service_url: url(id) }))
  writeFileSync(join(dir, 'devnet-info.json'), JSON.stringify({ info: { lotus: { host_rpc_url: url(0) }, pdp_sps: providers } }))
  const close = (at: number) => new Promise((closed) => servers[at]?.close(closed))
  await close(1)
  await expect(requireDevnetPorts(dir)).rejects.toThrow(
    `in use by another program on 127.0.0.1: ${ports[2]} of the provider 2, ${ports[0]} of the chain; stop it, delete the data with --fresh`,
  )
  mkdirSync(join(dir, 'chain'))
  writeFileSync(join(dir, 'chain', 'anvil.pid'), '1')
  await close(2)
  await requireDevnetPorts(dir)
  await close(0)
})
