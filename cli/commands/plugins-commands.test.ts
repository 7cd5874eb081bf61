import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openBuildPlace, ownDashboardFolder } from '#kernel/system'
import { svcHome } from '../testing/run-svc.ts'

const hello = fileURLToPath(new URL('../../examples/plugin-hello', import.meta.url))
/** Imports nothing, so that it loads from any directory. */
const dependent = `
export const plugin = Object.freeze({ id: 'polite', requires: ['hello'], provides: [], contributes: [] })
`

function homeWithPlugins() {
  const home = svcHome()
  const configPath = join(home.dir, '.svc', 'config.toml')
  mkdirSync(join(home.dir, '.svc'))
  writeFileSync(join(home.dir, '.svc', 'polite.js'), dependent)
  const text = `# Mine, keep it.
[plugins]
packages = [${JSON.stringify(hello)}, "./polite.js"] # both of them

[hello]
greeting = "Ahoy" # as sailors do
`
  writeFileSync(configPath, text)
  return { home, configPath, text }
}

test('the list shows state, requirements, contributions and settings', async () => {
  const { home } = homeWithPlugins()
  using _home = home
  const [table, json] = await Promise.all([home.run(['plugins', 'list']), home.run(['plugins', 'list', '--json'])])
  expect(table.stdout).toMatch(/^ID +STATE +SOURCE +REQUIRES +ACCOMPANIES +ADDS +SETTINGS\n/)
  expect(table.stdout).toMatch(/^polite +enabled +third-party +hello /m)
  const added = JSON.parse(json.stdout).find(({ id }: { id: string }) => id === 'hello')
  expect(added).toMatchObject({
    state: 'enabled',
    source: 'third-party',
    requires: [],
    contributes: { 'tasks.kinds': ['hello_greet'], 'cli.commands': ['hello'], 'events.kinds': ['hello.greeted'] },
    settings: ['hello'],
  })
})

test('disable and enable edit the file, keep its comments and say that a restart is needed', async () => {
  const { home, configPath, text } = homeWithPlugins()
  using _home = home
  const off = await home.run(['plugins', 'disable', 'hello', 'polite'])
  expect(off).toEqual({
    code: 0,
    stdout: `Now disabled in ${configPath}: hello, polite\nRestart the service for it to take effect.\n`,
    stderr: '',
  })
  const between = readFileSync(configPath, 'utf8')
  expect(between).toMatch(/disabled = \[ ?"hello", "polite" ?\]/)
  for (const comment of ['# Mine, keep it.', '# both of them', '# as sailors do']) expect(between).toContain(comment)
  expect((await home.run(['plugins', 'disable', 'hello'])).stdout).toBe('Already disabled: hello\n')
  const on = await home.run(['plugins', 'enable', 'hello', 'polite', '--json'])
  expect(JSON.parse(on.stdout)).toEqual({ disabled: [], changed: ['hello', 'polite'] })
  expect(readFileSync(configPath, 'utf8').replace(/\ndisabled = \[\]/, '')).toBe(text)
})

test('the command of a plugin exists while the plugin is enabled', async () => {
  const { home } = homeWithPlugins()
  using _home = home
  expect((await home.run(['hello', 'Ada'])).stdout).toBe('Ahoy, Ada!\n')
  expect((await home.run(['--help'])).stdout).toMatch(/Added by plugins\n +hello +Greet somebody/)
  expect((await home.run(['hello'], { SVC_PLUGINS_DISABLED: 'hello,polite' })).stderr).toBe(
    "fatal: svc hello belongs to the plugin 'hello', which is disabled; enable it with svc plugins enable hello\n",
  )
})

test('a plugin whose companion is disabled is listed as resting, and its commands name the disabled one', async () => {
  const { home } = homeWithPlugins()
  using _home = home
  const without = { SVC_PLUGINS_DISABLED: 'replication' }
  const list = await home.run(['plugins', 'list'], without)
  expect(list.code).toBe(0)
  expect(list.stdout).toMatch(/^costs +resting +built-in +storage +wallet, replication /m)
  expect((await home.run(['admin', 'cost'], without)).stderr).toBe(
    "fatal: svc admin cost belongs to the plugin 'costs', which rests while 'replication' is disabled; enable it with svc plugins enable replication\n",
  )
})

test('a choice that cannot start is refused and nothing is written', async () => {
  const { home, configPath, text } = homeWithPlugins()
  using _home = home
  const { code, stderr } = await home.run(['plugins', 'disable', 'hello'])
  expect(code).toBe(1)
  expect(stderr).toBe("fatal: plugin 'polite' requires 'hello', which is disabled; enable 'hello' or disable 'polite' too\n")
  expect(readFileSync(configPath, 'utf8')).toBe(text)
  const unknown = await home.run(['plugins', 'disable', 'missing'])
  expect(unknown.stderr).toMatch(/^fatal: there is no plugin 'missing'; known plugins: .*hello, polite\n$/)
})

test('a choice that cannot start is listed with its problem and can be corrected', async () => {
  const { home, configPath, text } = homeWithPlugins()
  using _home = home
  writeFileSync(configPath, text.replace('[plugins]', '[plugins]\ndisabled = ["hello", "ghost"]'))
  const list = await home.run(['plugins', 'list'])
  expect(list.code).toBe(1)
  expect(list.stdout).toMatch(/^hello +disabled /m)
  expect(list.stderr).toContain("plugin 'polite' requires 'hello', which is disabled")
  expect(list.stderr).toContain("plugins.disabled names 'ghost', which does not exist")
  expect((await home.run(['plugins', 'enable', 'hello', 'ghost'])).code).toBe(0)
  expect((await home.run(['plugins', 'list'])).code).toBe(0)
})

test('a variable that overrides the file stops the change of the file', async () => {
  const { home, configPath, text } = homeWithPlugins()
  using _home = home
  const { code, stderr } = await home.run(['plugins', 'disable', 'polite'], { SVC_PLUGINS_DISABLED: '' })
  expect(code).toBe(1)
  expect(stderr).toContain('SVC_PLUGINS_DISABLED overrides')
  expect(readFileSync(configPath, 'utf8')).toBe(text)
})

test('a file that is not TOML is named with line and column, and the help still works', async () => {
  const { home, configPath } = homeWithPlugins()
  using _home = home
  writeFileSync(configPath, '[plugins\n')
  const [list, serve, help, unknown] = await Promise.all([
    home.run(['plugins', 'list']),
    home.run(['serve']),
    home.run(['--help']),
    home.run(['hello']),
  ])
  for (const { code, stderr } of [list, serve]) {
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^fatal: ${configPath} is not valid TOML: .+\n$`))
  }
  expect(help.code).toBe(0)
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toContain('commands of plugins may be missing')
})

test('without a runtime directory plugins build says how to make one, and makes none itself', async () => {
  using home = svcHome()
  const { code, stderr } = await home.run(['plugins', 'build'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: `fatal: ${home.dir}/.svc/config.toml does not exist; run svc init\n` })
  expect(existsSync(join(home.dir, '.svc'))).toBe(false)
})

test('while another process builds the dashboard, plugins build names it and builds nothing', async () => {
  using home = svcHome()
  const config = join(home.dir, 'config.toml')
  writeFileSync(config, '')
  const refusal = new RegExp(
    `^fatal: the dashboard cannot be built: ${home.dir}/\\S+ is being built by process ${process.pid} on \\S+, since \\S+Z: wait until it has ended\n$`,
  )
  for (const out of [[], ['--out', join(home.dir, 'image')]]) {
    using _first = await openBuildPlace(out[1] ?? ownDashboardFolder(home.dir))
    const { code, stderr } = await home.run(['plugins', 'build', '--config', config, ...out])
    expect([code, stderr]).toEqual([1, expect.stringMatching(refusal)])
  }
  expect(readdirSync(home.dir).filter((name) => name.includes('svc-build') || name === 'dashboard')).toEqual([])
})

test('svc doctor finds nothing without a built dashboard, and names a damaged one with the next step', async () => {
  using home = svcHome()
  await home.run(['init'])
  await home.run(['migrate'], { SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) })
  const doctor = () => home.run(['doctor', '--only', 'kernel.dashboard'], { SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32) })
  expect(await doctor()).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing found in 1 check.') })
  const folder = ownDashboardFolder(join(home.dir, '.svc'))
  mkdirSync(folder)
  const { code, stdout } = await doctor()
  expect(code).toBe(3)
  expect(stdout).toContain(`WARNING dashboard ${folder}`)
  expect(stdout).toContain('it is not served, and the built-in dashboard is: files.json is missing or damaged')
  expect(stdout).toContain('Next step: Run svc plugins build')
})
