import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { svcHome } from './testing/run-svc.ts'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

test('the first start of a container makes the runtime directory, and the password goes to its file only', () => {
  using home = svcHome()
  const bin = join(home.dir, 'bin')
  mkdirSync(bin)
  symlinkSync(file('./svc.js'), join(bin, 'svc'))
  const data = join(home.dir, 'data')
  const env = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home.dir, SVC_CONFIG: join(data, 'config.toml') }
  const start = () => spawnSync(file('./container-start.sh'), ['version', '--json'], { env, encoding: 'utf8' })

  const first = start()
  const passwordPath = join(data, 'admin-initial-password')
  const password = readFileSync(passwordPath, 'utf8').trim()
  expect(statSync(passwordPath).mode & 0o777).toBe(0o600)
  expect(first.stderr).toContain(`Admin initial password file: ${passwordPath}`)
  expect(first.stdout + first.stderr).not.toContain(password)
  expect(JSON.parse(first.stdout)).toMatchObject({ version: expect.any(String) })

  expect(start()).toMatchObject({ status: 0, stdout: first.stdout, stderr: '' })
  expect(readFileSync(passwordPath, 'utf8').trim()).toBe(password)
})
