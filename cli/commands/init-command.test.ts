import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prepareKernel, readConfigFile, verifyPassword } from '#kernel/host'
import { builtinPlugins } from '../../plugins/index.ts'
import { createOutput } from '../terminal/output.ts'
import { svcHome } from '../testing/run-svc.ts'
import { run } from './init-command.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const authOf = (path: string) => (readConfigFile(path).tree.admin as { auth: Record<string, string> }).auth

test('svc init makes a private runtime directory and stores the password in a file without a terminal', async () => {
  using home = svcHome()
  // SVC_CONFIG must not redirect it.
  const { code, stdout, stderr } = await home.run(['init'], { SVC_CONFIG: join(home.dir, 'elsewhere.toml') })
  const dir = join(home.dir, '.svc')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(readdirSync(dir).sort()).toEqual(['admin-initial-password', 'cache', 'config.toml', 'db'])
  for (const name of ['.', 'cache', 'db']) expect(modeOf(join(dir, name))).toBe('700')
  for (const name of ['admin-initial-password', 'config.toml']) expect(modeOf(join(dir, name))).toBe('600')
  expect(stdout.split('\n')).toEqual([
    `Data directory: ${dir}`,
    `Config: ${dir}/config.toml`,
    'Admin username: admin',
    `Admin initial password file: ${dir}/admin-initial-password`,
    expect.stringContaining('SVC_CHAIN_PRIVATE_KEY'),
    'Object sizes: 127 to 1,065,353,216 bytes; kopia, pgBackRest, s3fs and duplicity need smaller ones: set s3.object_sizes = "any" in the config for them',
    expect.stringMatching(/^Next: \S+ serve$/),
    '',
  ])
  const password = readFileSync(join(dir, 'admin-initial-password'), 'utf8')
  expect(password).toMatch(/^[\w-]{43}\n$/)
  const { password_hash, session_secret } = authOf(join(dir, 'config.toml'))
  expect(session_secret).toMatch(/^[\w-]{43}$/)
  expect(await verifyPassword(password.trim(), String(password_hash))).toBe(true)
})

test('on a terminal the password is printed once and not stored', async () => {
  using home = svcHome()
  const dir = join(home.dir, 'data')
  let shown = ''
  const sink = { isTTY: true, write: (text: string) => (shown += text) }
  const out = createOutput({ isJson: false, stdout: sink, stderr: sink })
  await run({ parameters: {}, flags: { dir, anySize: false }, env: {}, out })
  const password = /^Admin initial password: (\S{43})$/m.exec(shown)?.[1] ?? ''
  expect(readdirSync(dir).sort()).toEqual(['cache', 'config.toml', 'db'])
  expect(await verifyPassword(password, String(authOf(join(dir, 'config.toml')).password_hash))).toBe(true)
  expect(shown).toMatch(new RegExp(`^Next: \\S+ serve --config ${dir}/config.toml$`, 'm'))
})

test('nothing is overwritten', async () => {
  using home = svcHome()
  const path = join(home.dir, 'config.toml')
  writeFileSync(path, '# mine\n')
  const { code, stderr } = await home.run(['init', '--dir', home.dir])
  expect(code).toBe(1)
  expect(stderr).toBe(`fatal: ${path} already exists; nothing was changed. Choose another directory with --dir\n`)
  expect(readFileSync(path, 'utf8')).toBe('# mine\n')
})

test('the written file holds every key with its meaning, and only the wallet key is missing', async () => {
  using home = svcHome()
  await home.run(['init', '--dir', home.dir])
  const configPath = join(home.dir, 'config.toml')
  const prepared = await prepareKernel({ plugins: builtinPlugins, configPath, dataDir: home.dir, env: {} })
  expect(prepared.config.problems.filter(({ field }) => field !== 'chain.private_key')).toEqual([])
  const text = readFileSync(configPath, 'utf8')
  for (const section of prepared.sections) {
    const table = text.split(`\n[${section.path}]\n`)[1]?.split('\n[')[0] ?? ''
    for (const key of Object.keys(section.keys)) expect(table).toMatch(new RegExp(`^(# )?${key} =`, 'm'))
  }
  expect(text).toContain('# Environment: SVC_ADMIN_AUTH_SESSION_TTL. Allowed: a duration such as 90s, 5m or 1h30m.\n# session_ttl = "12h"')
  expect(text).toContain('# Environment: SVC_CHAIN_DEFAULT_COPIES. Allowed: an integer, at least 1, at most 8.\n# default_copies = 3')
  // Uncommenting a default changes nothing and stays valid.
  writeFileSync(configPath, text.replace(/^# (\w+ = .+)$/gm, '$1'))
  const all = await prepareKernel({ plugins: builtinPlugins, configPath, dataDir: home.dir, env: {} })
  expect(all.config.values).toEqual(prepared.config.values)
})

test('with --any-size objects of any size are accepted', async () => {
  using home = svcHome()
  expect(await home.run(['init', '--any-size'])).toMatchObject({ code: 0, stderr: '' })
  const sizesIn = (dir: string) => (readConfigFile(join(home.dir, dir, 'config.toml')).tree.s3 as Record<string, unknown>).object_sizes
  expect(sizesIn('.svc')).toBe('any')
  expect(await home.run(['init', '--dir', 'plain'])).toMatchObject({ code: 0 })
  expect(sizesIn('plain')).toBeUndefined()
})
