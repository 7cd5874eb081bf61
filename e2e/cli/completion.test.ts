/** The completion scripts, the one for bash run by bash. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { svcProgram } from '../../cli/testing/svc-program.ts'

const hello = fileURLToPath(new URL('../../examples/plugin-hello', import.meta.url))
const hasBash = spawnSync('bash', ['--version']).status === 0
if (!hasBash) process.stderr.write('NOT TESTED: bash is missing, so completion in bash was not tested\n')

/** Sources the script twice, which must be harmless, and completes the line. */
const pressTab = `
source "$SCRIPT"; source "$SCRIPT"
COMP_LINE=$1; COMP_POINT=\${#1}; COMP_WORDS=($1); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_svc
printf '%s\\n' "\${COMPREPLY[@]}"
`

async function openShell() {
  const home = svcHome()
  mkdirSync(join(home.dir, 'bin'))
  symlinkSync(svcProgram, join(home.dir, 'bin', 'svc'))
  const PATH = [join(home.dir, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  const script = join(home.dir, 'completions')
  writeFileSync(script, (await home.run(['completions', 'bash'], { PATH })).stdout)
  return {
    home,
    complete(line: string): readonly string[] {
      const env = { PATH, HOME: home.dir, SCRIPT: script }
      const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', pressTab, 'bash', line], { cwd: home.dir, env, encoding: 'utf8' })
      expect(stderr).toBe('')
      return stdout.split('\n').filter((word) => word !== '')
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  }
}

test.skipIf(!hasBash)(
  'bash completes words and the values of a flag, also after an address, at whose colon bash splits words',
  async () => {
    using shell = await openShell()
    expect(shell.complete('svc ver')).toEqual(['version'])
    expect(shell.complete('svc admin --admin-url http://127.0.0.1:9090 s3-user create --role u')).toEqual(['user', 'userplus'])
    expect(shell.complete('svc nonsense ')).toEqual([])
  },
)

test.each([
  ['svc admin ', expect.arrayContaining(['status', 's3-user', 'settings', 'task'])],
  ['svc admin --admin-url http://127.0.0.1:9090 task re', ['retry']],
  ['svc admin s3-user create --role u', ['user', 'userplus']],
  ['svc provider list --no', ['--no-health']],
  ['svc admin task retry ', []],
  ['svc nonsense ', []],
])('"%s" is completed from the commands of the program and its plugins', async (line, words) => {
  using home = svcHome()
  const { stdout } = await home.run(['complete', line])
  expect(stdout.split('\n').flatMap((candidate) => candidate.split('\t', 1)[0] || [])).toEqual(words)
})

test.skipIf(!hasBash)('bash completes commands of a plugin that the configuration adds, and none of a disabled one', async () => {
  using shell = await openShell()
  const config = join(shell.home.dir, 'own.toml')
  writeFileSync(config, `[plugins]\npackages = ["${hello}"]\ndisabled = ["tasks"]\n`)
  expect(shell.complete(`svc -c ${config} hel`)).toEqual(['hello'])
  expect(shell.complete(`svc -c ${config} admin ta`)).toEqual([])
})

test('the scripts for zsh and fish call svc complete too', async () => {
  using home = svcHome()
  const [zsh, fish] = await Promise.all([home.run(['completions', 'zsh']), home.run(['completions', 'fish'])])
  expect(zsh).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/svc\.js'? complete [\s\S]*compdef _svc svc\n$/) })
  expect(fish).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^complete -c svc .*svc\.js'? complete /) })
})

test('each candidate comes with its meaning', async () => {
  using home = svcHome()
  const { stdout } = await home.run(['complete', 'svc wallet gen'])
  expect(stdout).toBe('generate\tGenerate a wallet and print its address and private key\n')
})
