/**
 * The program as a process, also an installed one, behaves like the same line of the sources run inside the tests. One line for each group
 * of commands that no other test starts as a process; init, serve, dev and completions have theirs.
 */
import { expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'

const processMs = 120_000
const lines: readonly (readonly [group: string, line: readonly string[], code: number])[] = [
  ['migrate', ['migrate', '--json'], 0],
  ['admin-auth', ['admin-auth', 'reset-password'], 2],
  ['plugins', ['plugins', 'disable', 'observability'], 0],
  ['admin', ['admin', 'task', 'stats', '--admin-url', 'http://127.0.0.1:9'], 1],
  ['wallet', ['wallet', 'deposit', '0'], 2],
  ['provider', ['provider', 'list', '--rpc-url', 'http://127.0.0.1:9'], 1],
]

test.each(lines)(
  'svc %s: a process gives the exit code and the output of the line run in a test',
  { timeout: processMs },
  async (_group, line, code) => {
    const runs = []
    for (const way of ['spawn', 'runSources'] as const) {
      using home = svcHome()
      if (code === 0) await home.run(['init'])
      const { stdout, stderr, ...end } = await home[way](line, { SVC_ADMIN_PASSWORD: 'x' })
      runs.push({ ...end, stdout: stdout.replaceAll(home.dir, '~'), stderr: stderr.replaceAll(home.dir, '~') })
    }
    expect(runs[0]).toEqual(runs[1])
    expect(runs[0]?.code).toBe(code)
  },
)
