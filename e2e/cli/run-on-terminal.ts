/** Runs svc on a pseudo terminal of `script` (util-linux). */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { svcProgram } from '../../cli/testing/svc-program.ts'

export const isTerminalMissing = !spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')
if (isTerminalMissing) process.stderr.write('NOT TESTED: `script` of util-linux is missing, so terminals were not tested\n')

interface TerminalOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Typed once the screen shows the pattern. */
  readonly answer?: readonly [shown: RegExp, typed: string]
}

/** Resolves with the exit code and everything the screen showed. */
export async function runOnTerminal(words: readonly string[], { cwd, env, answer }: TerminalOptions = {}) {
  // The exit code is that of svc with exec: a shell between them would end by Ctrl-C itself.
  const line = `exec ${[process.execPath, svcProgram, ...words].map((word) => `'${word}'`).join(' ')}`
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: cwd ?? '/nonexistent',
      TERM: 'xterm',
      SHELL: '/bin/sh',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  let isAnswered = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    if (isAnswered || !answer?.[0].test(screen)) return
    isAnswered = true
    child.stdin.write(answer[1])
  })
  const [code] = await once(child, 'close')
  return { code: code as number, shown: screen.replaceAll('\r\n', '\n') }
}
