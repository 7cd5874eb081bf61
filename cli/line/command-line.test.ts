import { expect, test } from 'vitest'
import { svcHome } from '../testing/run-svc.ts'

test('svc alone and svc --help list every command with its summary', async () => {
  using home = svcHome()
  const [alone, help] = await Promise.all([home.run([]), home.run(['--help'])])
  expect(help.code).toBe(0)
  for (const name of ['init', 'serve', 'dev', 'migrate', 'version', 'plugins list', 'completions']) expect(help.stdout).toContain(name)
  expect(help.stdout).toContain('Apply pending database migrations and exit')
  expect(alone).toEqual(help)
})

test('the help of a command shows its flags, their defaults and examples', async () => {
  using home = svcHome()
  const { code, stdout } = await home.run(['dev', '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/--s3-port +number +Port of the S3 API on 127\.0\.0\.1 +\[default: 8080\]/)
  expect((await home.run(['migrate', '--help'])).stdout).toMatch(/--config, -c +text/)
  expect(stdout).toContain('svc dev --fresh --providers 8')
})

test('a word that is only the start of commands lists them', async () => {
  using home = svcHome()
  const { code, stdout } = await home.run(['plugins'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/list .*\n.*enable .*\n.*disable /)
})

test('the version is one line, or JSON alone on standard output', async () => {
  using home = svcHome()
  const [line, alias, json] = await Promise.all([home.run(['version']), home.run(['--version']), home.run(['version', '--json'])])
  expect(line.stdout).toMatch(/^svc \d+\.\d+\.\d+ \(commit \S+, built \S+\)\n$/)
  expect(alias.stdout).toBe(line.stdout)
  expect(Object.keys(JSON.parse(json.stdout))).toEqual(['version', 'commit', 'build_date'])
  expect(json.stdout).toContain('\n  "commit"')
})

const wrongLines: readonly (readonly [args: readonly string[], message: string])[] = [
  [['serv'], 'unknown command "serv" (did you mean "serve"?); see svc --help'],
  [['plugins', 'lst'], 'unknown command "plugins lst" (did you mean "plugins list"?); see svc plugins --help'],
  [['plugin'], 'unknown command "plugin" (did you mean "plugins"?); see svc --help'],
  [['serv', '--help'], 'unknown command "serv" (did you mean "serve"?); see svc --help'],
  [['help', 'serv'], 'unknown command "serv" (did you mean "serve"?); see svc --help'],
  [['version', '--json=no'], '--json is a switch and takes no value, got "no"'],
  [['version', '--no-json=no'], '--json is a switch and takes no value, got "no"'],
  [['version', '--jsn'], 'unknown flag --jsn (did you mean --json?); see svc version --help'],
  [['version', 'now'], 'svc version does not take "now"; see svc version --help'],
  [['version', '--', 'now'], 'svc version does not take "now"; see svc version --help'],
  [['plugins', 'enable'], 'svc plugins enable needs <ids>; see svc plugins enable --help'],
  [['dev', '--providers', 'many'], '--providers must be a number, got "many"'],
  [['dev', '--providers', '0'], '--providers must be a whole number from 1 to 20, got 0'],
  [['migrate', '--config'], '--config needs a value'],
  [['serve', '--set', 'novalue'], '--set takes key=value, such as logging.level=debug; got "novalue"'],
  [['init', '--config', 'x.toml'], 'svc init takes no --config: it writes config.toml into --dir'],
  [['dev', '--config', 'x.toml'], 'svc dev takes no --config: it keeps its own configuration in --dir'],
  [['status'], 'unknown command "status" (did you mean "admin status"?); see svc --help'],
  [['version', '--', '--json'], 'svc version does not take "--json"; see svc version --help'],
  [['--', 'version', 'now'], 'svc version does not take "now"; see svc version --help'],
]

test.each(wrongLines)('usage error: svc %j is refused in one line with exit code 2', async (args, message) => {
  using home = svcHome()
  expect(await home.run(args)).toEqual({ code: 2, stdout: '', stderr: `fatal: ${message}\n` })
})

test('flags may precede, separate and follow the words', async () => {
  using home = svcHome()
  const lines = [
    ['--json', 'plugins', 'list'],
    ['plugins', '--json', 'list'],
    ['plugins', '-c', 'other.toml', 'list', '--json'],
  ]
  for (const { code, stdout } of await Promise.all(lines.map((line) => home.run(line)))) {
    expect(code).toBe(0)
    expect(Array.isArray(JSON.parse(stdout))).toBe(true)
  }
})

test('help may come first', async () => {
  using home = svcHome()
  const [word, flag, bare] = await Promise.all([
    home.run(['help', 'plugins', 'list']),
    home.run(['plugins', 'list', '-h']),
    home.run(['help']),
  ])
  expect(word).toEqual(flag)
  expect(word.stdout).toContain('svc plugins list --json')
  expect(bare).toMatchObject({ code: 0, stdout: expect.stringContaining('svc <command> [flags]') })
})
