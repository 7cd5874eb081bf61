/** Terminals, pipes and signals, with the program as a process. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { svcProgram } from '../../cli/testing/svc-program.ts'
import { isTerminalMissing, runOnTerminal } from './run-on-terminal.ts'

const shell = (line: string) =>
  spawnSync('sh', ['-c', line, 'sh', process.execPath, svcProgram], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: '/nonexistent', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  })

test('output into a pipe has no colours', () => {
  for (const words of ['--help', 'plugins list', 'nonsense']) {
    const { stdout, stderr } = shell(`"$1" "$2" ${words}`)
    expect(stdout + stderr).not.toContain('\u001b')
  }
})

test.skipIf(isTerminalMissing)('on a terminal the help has colours, unless NO_COLOR is set', async () => {
  const [coloured, plain] = await Promise.all([runOnTerminal(['--help']), runOnTerminal(['--help'], { env: { NO_COLOR: '1' } })])
  expect(coloured.shown).toContain('\u001b[')
  expect(plain.shown).not.toContain('\u001b[')
})

test('a closed pipe ends the command with success and without a message', () => {
  // `true` has ended long before the program writes.
  const { stdout, stderr } = shell('{ "$1" "$2" plugins list --json; echo "ended with $?" >&2; } | true')
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'ended with 0\n' })
})

test('Ctrl-C ends a command that waits for an answer by the signal', async () => {
  using home = svcHome()
  const asked = Promise.withResolvers<void>()
  const silent = createServer(() => asked.resolve())
  await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  await using svc = home.start(['admin', 'status', '--admin-url', url, '--timeout', '10m'])
  await asked.promise
  // Ended by the signal itself, which a shell shows as 130.
  expect(await svc.stop('SIGINT')).toBeNull()
  silent.close().closeAllConnections()
})

test.skipIf(isTerminalMissing)('svc init on a terminal prints the password once and does not store it', async () => {
  using home = svcHome()
  const { code, shown } = await runOnTerminal(['init'], { cwd: home.dir })
  expect(code).toBe(0)
  const dir = join(home.dir, '.svc')
  const [, password = ''] = /^Admin username: admin\nAdmin initial password: ([\w-]{43})\n/m.exec(shown) ?? []
  expect(password).not.toBe('')
  expect(readdirSync(dir).sort()).toEqual(['cache', 'config.toml', 'db'])
  expect(readFileSync(join(dir, 'config.toml'), 'utf8')).not.toContain(password)
})

test('svc init without a terminal writes the password to a file of mode 0600, and ignores SVC_CONFIG', async () => {
  using home = svcHome()
  const elsewhere = join(home.dir, 'elsewhere.toml')
  const { code, stdout, stderr } = await home.run(['init', '--dir', 'data'], { SVC_CONFIG: elsewhere })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const path = join(home.dir, 'data', 'admin-initial-password')
  expect(stdout).toContain(`Admin initial password file: ${path}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toMatch(/^[\w-]{43}\n$/)
  expect(stdout).not.toContain(readFileSync(path, 'utf8').trim())
  expect(existsSync(elsewhere)).toBe(false)
})

test('svc init replaces nothing, and takes no --config', async () => {
  using home = svcHome()
  const config = join(home.dir, 'config.toml')
  writeFileSync(config, '# mine\n')
  expect(await home.run(['init', '--dir', '.'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `fatal: ${config} already exists; nothing was changed. Choose another directory with --dir\n`,
  })
  expect(readFileSync(config, 'utf8')).toBe('# mine\n')
  expect(await home.run(['init', '--config', 'x.toml'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('svc init takes no --config: it writes config.toml into --dir'),
  })
})
