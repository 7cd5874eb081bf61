/** Runs the real program for tests, with a home directory of its own and no variable of the machine's svc. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../svc.js', import.meta.url))
/** A command that should end and does not. */
const runMs = 120_000

export interface SvcRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface SvcHome extends Disposable {
  readonly dir: string
  /** Runs to the end. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<SvcRun>
  /** Starts a command that keeps running. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): StartedSvc
}

export interface StartedSvc extends AsyncDisposable {
  /** Resolves with the first line written that matches, of those not looked at yet. Rejects when the program ends before. */
  line(pattern: RegExp): Promise<string>
  readonly ended: Promise<number | null>
  send(signal: NodeJS.Signals): void
  /** Sends the signal and resolves with the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

export function svcHome(): SvcHome {
  const dir = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  const launch = (args: readonly string[], env: Readonly<Record<string, string>> = {}, timeout?: number) =>
    spawn(process.execPath, [program, ...args], {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
    })
  return {
    dir,
    run: (args, env) => finish(launch(args, env, runMs)),
    start: (args, env) => follow(launch(args, env)),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
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
