/**
 * `svc` for tests, with a private home directory and without the variables of this machine: inside the test process, or as a process.
 * An installed program always runs as a process.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { main } from '../main.ts'
import { isInstalledProgram, svcProgram } from './svc-program.ts'

/** Limit for a process that should end by itself. */
const runMs = 120_000

export interface SvcRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Env = Readonly<Record<string, string>>

export interface SvcHome extends Disposable {
  readonly dir: string
  /** Runs a command to its end inside this process. For a command that serves, or reads the terminal or NODE_… variables: `spawn`, `start`. */
  run(args: readonly string[], env?: Env): Promise<SvcRun>
  /** Runs the sources inside this process, also when an installed program is tested. */
  runSources(args: readonly string[], env?: Env): Promise<SvcRun>
  /** Runs the program to its end as a process. */
  spawn(args: readonly string[], env?: Env): Promise<SvcRun>
  /** Starts the program as a process that keeps running. */
  start(args: readonly string[], env?: Env): StartedSvc
}

interface StartedSvc extends AsyncDisposable {
  /** Resolves with the first unread line that matches. Rejects when the program ends before. */
  line(pattern: RegExp): Promise<string>
  readonly ended: Promise<number | null>
  send(signal: NodeJS.Signals): void
  /** Sends the signal and resolves with the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

export function svcHome(): SvcHome {
  const dir = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  const fullEnv = (env: Env = {}) => ({
    PATH: process.env.PATH,
    HOME: dir,
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    ...env,
  })
  const launch = (args: readonly string[], env: Env | undefined, timeout?: number) =>
    spawn(process.execPath, [svcProgram, ...args], { cwd: dir, env: fullEnv(env), stdio: ['ignore', 'pipe', 'pipe'], timeout })
  const runSources: SvcHome['runSources'] = (args, env) => runHere(args, fullEnv(env), dir)
  const spawnToEnd: SvcHome['spawn'] = (args, env) => finish(launch(args, env, runMs))
  return {
    dir,
    run: isInstalledProgram ? spawnToEnd : runSources,
    runSources,
    spawn: spawnToEnd,
    start: (args, env) => follow(launch(args, env)),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

async function runHere(args: readonly string[], env: Readonly<Record<string, string | undefined>>, cwd: string): Promise<SvcRun> {
  const written = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      written[name] += text
    },
  })
  const stdin = new PassThrough().end()
  const code = await main(args, env, { cwd: () => cwd, stdin, stdout: sink('stdout'), stderr: sink('stderr') })
  return { code, ...written }
}

async function finish(child: ChildProcess): Promise<SvcRun> {
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, ...text }
}

function follow(child: ChildProcess): StartedSvc {
  const written = new PassThrough()
  for (const stream of [child.stdout, child.stderr]) stream?.pipe(written, { end: false })
  const ended = once(child, 'close').then(([code]) => {
    written.end()
    return code as number | null
  })
  const lines = createInterface({ input: written })[Symbol.asyncIterator]()
  const seen: string[] = []
  return {
    async line(pattern) {
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        seen.push(next.value)
        if (pattern.test(next.value)) return next.value
      }
      throw new Error(`svc ended without a line like ${pattern}:\n${seen.join('\n')}`)
    },
    ended,
    send: (signal) => void child.kill(signal),
    async stop(signal) {
      child.kill(signal)
      return ended
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
