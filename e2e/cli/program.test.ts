/** The program as a process, one line of each group of commands: it behaves like the same line run inside the tests. */
import { expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'

const lines: readonly (readonly [group: string, line: readonly string[], code: number])[] = [
  ['init', ['init', '--config', 'x.toml'], 2],
  ['serve', ['serve', '--set', 'chain.private_key=0xfeedfacecafebeef'], 2],
  ['dev', ['dev', '--providers', '0'], 2],
  ['migrate', ['migrate', '--json'], 0],
  ['admin-auth', ['admin-auth', 'reset-password'], 2],
  ['plugins', ['plugins', 'disable', 'observability'], 0],
  ['completions', ['completions', 'bash'], 0],
  ['admin', ['admin', 'task', 'stats', '--admin-url', 'http://127.0.0.1:9'], 1],
  ['wallet', ['wallet', 'deposit', '0'], 2],
  ['provider', ['provider', 'list', '--rpc-url', 'http://127.0.0.1:9'], 1],
  ['help', ['help', 'admin'], 0],
]

test.concurrent.each(lines)(
  'svc %s: a process gives the exit code and the output of the line run in a test',
  async (_group, line, code) => {
    const [real, inside] = await Promise.all(
      (['spawn', 'run'] as const).map(async (way) => {
        using home = svcHome()
        if (code === 0) await home.run(['init'])
        const { stdout, stderr, ...end } = await home[way](line, { SVC_ADMIN_PASSWORD: 'x' })
        return { ...end, stdout: stdout.replaceAll(home.dir, '~'), stderr: stderr.replaceAll(home.dir, '~') }
      }),
    )
    expect(real).toEqual(inside)
    expect(real?.code).toBe(code)
  },
)
