/** The entry point of the container, run outside of one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { until } from '../fixtures/until.ts'

const pathOf = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url))

/** Starts the container's entry point on the volume `dir`, waits until svc serves or the process ends, and stops it. */
async function startAndStop(
  dir: string,
  words: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = {
    PATH: `${dir}:${dirname(process.execPath)}:${process.env.PATH}`,
    SVC_CONFIG: join(dir, 'volume', 'config.toml'),
    SVC_SERVER_PORT: '127.0.0.1:0',
    SVC_ADMIN_ADDR: '127.0.0.1:0',
  }
  const child = spawn(pathOf('cli/container-start.sh'), [...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
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

test('the first start makes configuration and password in the volume, later starts keep them, and SIGTERM stops svc', async () => {
  using place = temporaryDirectory()
  symlinkSync(pathOf('cli/svc.js'), join(place.path, 'svc'))
  const passwordPath = join(place.path, 'volume', 'admin-initial-password')
  const first = await startAndStop(place.path)
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining(`Admin initial password file: ${passwordPath}`) })
  expect(statSync(passwordPath).mode & 0o777).toBe(0o600)
  const password = readFileSync(passwordPath, 'utf8')
  expect(first.output).not.toContain(password.trim())
  const second = await startAndStop(place.path)
  expect(second).toMatchObject({ code: 0, output: expect.not.stringContaining('Admin initial password') })
  expect(readFileSync(passwordPath, 'utf8')).toBe(password)
})

test('arguments are a command of svc, and a failed first start stops the container', async () => {
  using place = temporaryDirectory()
  symlinkSync(pathOf('cli/svc.js'), join(place.path, 'svc'))
  expect(await startAndStop(place.path, ['version'])).toMatchObject({ code: 0, output: expect.stringMatching(/^svc /m) })
  using broken = temporaryDirectory()
  symlinkSync('/bin/false', join(broken.path, 'svc'))
  expect((await startAndStop(broken.path)).code).toBe(1)
  expect(existsSync(join(broken.path, 'volume'))).toBe(false)
})
