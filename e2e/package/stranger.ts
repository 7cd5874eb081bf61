/** A user who has nothing of the clone: no home, no variables, and where the tests run as root, no rights either. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Started extends AsyncDisposable {
  /** Resolves with the first line of standard error that matches. @throws Error with all output when the program ends before */
  line(pattern: RegExp): Promise<string>
  /** Ends it with SIGTERM. */
  stop(): Promise<Run>
}

export interface Stranger {
  /** Has a space in its path, and belongs to the user. */
  readonly dir: string
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Run>
  start(program: string, args: readonly string[]): Started
}

const nobody = 65_534
const isRoot = process.getuid?.() === 0

/** @param parent which must exist */
export function createStranger(parent: string): Stranger {
  const dir = join(parent, 'a stranger')
  const bin = join(parent, 'bin')
  for (const path of [dir, bin]) mkdirSync(path)
  // The clone may be in a folder that the user cannot enter.
  copyFileSync(process.execPath, join(bin, 'node'))
  chmodSync(parent, 0o755)
  if (isRoot) chownSync(dir, nobody, nobody)
  const start = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawn(program, args, {
      cwd: dir,
      env: { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, ...env },
      ...(isRoot && { uid: nobody, gid: nobody }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    dir,
    run: (program, args, env) => collect(start(program, args, env)).ended,
    start(program, args) {
      const child = start(program, args)
      const output = collect(child)
      return {
        line: (pattern) => output.line(pattern),
        async stop() {
          child.kill('SIGTERM')
          return output.ended
        },
        async [Symbol.asyncDispose]() {
          child.kill('SIGTERM')
          await output.ended
        },
      }
    },
  }
}

function collect(child: ReturnType<typeof spawn>) {
  const text = { stdout: '', stderr: '' }
  const waiting = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      for (const look of waiting) look()
    })
  }
  const ended = once(child, 'close').then(([code]): Run => ({ code: code as number | null, ...text }))
  return {
    ended,
    async line(pattern: RegExp): Promise<string> {
      const found = Promise.withResolvers<string>()
      const look = (): void => {
        const line = `${text.stderr}\n${text.stdout}`.split('\n').find((candidate) => pattern.test(candidate))
        if (line !== undefined) found.resolve(line)
      }
      waiting.add(look)
      look()
      void ended.then((run) => found.reject(new Error(`it ended before ${pattern}: ${JSON.stringify(run)}`)))
      return found.promise.finally(() => waiting.delete(look))
    },
  }
}
