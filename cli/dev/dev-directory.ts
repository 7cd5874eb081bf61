/** The directory of `svc dev`: which files it holds, that nobody else's directory is touched, and that one `svc dev` runs in it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, writePrivateFile } from '#kernel'

export interface DevDirectory extends Disposable {
  /** Runtime directory of the gateway, as `svc init` makes it. */
  readonly gateway: string
  /** What the local chain and the providers keep. */
  readonly devnet: string
  /** Everything that is logged by this run. */
  readonly log: string
  readonly devnetLog: string
  readonly credentials: string
  /** There while the gateway is ready to use. */
  readonly ready: string
}

const markerName = '.made-by-svc-dev'

/**
 * Opens the directory for this process until it is disposed. `isFresh` empties it first.
 * Throws CommandError when it is not one of `svc dev`, or another process uses it.
 */
export function openDevDirectory(dir: string, { isFresh }: { readonly isFresh: boolean }): DevDirectory {
  const marker = join(dir, markerName)
  const lock = join(dir, 'pid')
  refuseForeign(dir, marker)
  refuseBusy(dir, lock)
  if (isFresh) rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writePrivateFile(marker, 'svc dev made this directory; svc dev --fresh deletes it with everything in it.\n')
  writePrivateFile(lock, `${process.pid}\n`)
  const ready = join(dir, 'ready.json')
  rmSync(ready, { force: true })
  return {
    gateway: join(dir, 'gateway'),
    devnet: join(dir, 'devnet'),
    log: join(dir, 'svc.log'),
    devnetLog: join(dir, 'devnet.log'),
    credentials: join(dir, 's3-credentials.json'),
    ready,
    [Symbol.dispose]() {
      rmSync(ready, { force: true })
      rmSync(lock, { force: true })
    },
  }
}

function refuseForeign(dir: string, marker: string): void {
  if (!existsSync(dir) || existsSync(marker) || readdirSync(dir).length === 0) return
  throw new CommandError(`${dir} holds files and was not made by svc dev; choose another directory with --dir`)
}

function refuseBusy(dir: string, lock: string): void {
  if (!existsSync(lock)) return
  const pid = Number(readFileSync(lock, 'utf8'))
  if (pid !== process.pid && isRunningDev(pid)) {
    throw new CommandError(`svc dev (process ${pid}) already runs in ${dir}; stop it, or choose another directory with --dir`)
  }
}

/** A file left by a killed process must not block the next start, even when its number was given to another program. */
function isRunningDev(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    // There is no such process.
    return false
  }
  const commandLine = `/proc/${pid}/cmdline`
  if (!existsSync('/proc/self/cmdline')) return true
  if (!existsSync(commandLine)) return false
  const words = readFileSync(commandLine, 'utf8').split('\0')
  const program = words.findIndex((word) => word.endsWith('svc') || word.endsWith('svc.js'))
  return program >= 0 && words.includes('dev', program + 1)
}
