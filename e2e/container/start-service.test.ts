/** The entry point of the container image and of the systemd service, run without either. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'

const pathOf = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

/** Starts the container's entry point on the volume `dir`, waits until svc serves or the process ends, and stops it. */
async function startAndStop(
  dir: string,
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = {
    PATH: `${dir}:${dirname(process.execPath)}:${process.env.PATH}`,
    SVC_CONFIG: join(dir, 'volume', 'config.toml'),
    SVC_SERVER_PORT: '127.0.0.1:0',
    SVC_ADMIN_ADDR: '127.0.0.1:0',
    ...more,
  }
  const child = spawn(pathOf('cli/start-service.sh'), [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close')
  try {
    await until('svc serves', async () => child.exitCode !== null || /is running/.test(output) || undefined)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  return { code: child.exitCode, output }
}

test('the first start creates configuration and password in the volume, later starts keep them, and SIGTERM stops svc', async () => {
  using home = temporaryDirectory()
  symlinkSync(pathOf('cli/svc.js'), join(home.path, 'svc'))
  const passwordPath = join(home.path, 'volume', 'admin-initial-password')
  const first = await startAndStop(home.path)
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining(`Admin initial password file: ${passwordPath}`) })
  expect(statSync(passwordPath).mode & 0o777).toBe(0o600)
  const password = readFileSync(passwordPath, 'utf8')
  expect(first.output).not.toContain(password.trim())
  const second = await startAndStop(home.path)
  expect(second).toMatchObject({ code: 0, output: expect.not.stringContaining('Admin initial password') })
  expect(readFileSync(passwordPath, 'utf8')).toBe(password)
})

test('arguments run as an svc command, and a failed first start stops the container', async () => {
  using home = temporaryDirectory()
  symlinkSync(pathOf('cli/svc.js'), join(home.path, 'svc'))
  expect(await startAndStop(home.path, ['version'])).toMatchObject({ code: 0, output: expect.stringMatching(/^svc /m) })
  using broken = temporaryDirectory()
  symlinkSync('/bin/false', join(broken.path, 'svc'))
  expect((await startAndStop(broken.path)).code).toBe(1)
  expect(existsSync(join(broken.path, 'volume'))).toBe(false)
})

test('the key of the wallet may be a credential: an empty file is none', async () => {
  using home = temporaryDirectory()
  // Shows what svc gets.
  writeFileSync(join(home.path, 'svc'), '#!/bin/sh\nenv | grep ^SVC_CHAIN_PRIVATE_KEY= || echo none\n', { mode: 0o755 })
  mkdirSync(join(home.path, 'volume'))
  writeFileSync(join(home.path, 'volume', 'config.toml'), '')
  const run = () => startAndStop(home.path, ['serve'], { CREDENTIALS_DIRECTORY: home.path })
  expect(await run()).toMatchObject({ code: 0, output: 'none\n' })
  writeFileSync(join(home.path, 'chain-private-key'), '\n')
  expect(await run()).toMatchObject({ code: 0, output: 'none\n' })
  writeFileSync(join(home.path, 'chain-private-key'), '0xabc\n')
  expect(await run()).toMatchObject({ code: 0, output: 'SVC_CHAIN_PRIVATE_KEY=0xabc\n' })
})
