/** The directory of `svc dev`: its files, and the checks that `svc dev` made it and that one process uses it. */

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '#kernel'
import { LockedError, lockFile, writePrivateFile } from '#kernel/system'
import { requireOwnDirectory } from './rights.ts'

export interface DevDirectory extends Disposable {
  /** Runtime directory of the gateway, as `svc init` makes it. */
  readonly gateway: string
  /** Data of the local chain and the providers. */
  readonly devnet: string
  /** Log of this run. */
  readonly log: string
  readonly devnetLog: string
  readonly credentials: string
  /** Exists while the gateway is ready. */
  readonly ready: string
}

const markerName = '.made-by-svc-dev'
const lockName = 'svc.lock'

/**
 * Opens the directory for this process until it is disposed. `isFresh` empties it first.
 * Throws CommandError when `svc dev` did not make it, or another process uses it.
 */
export function openDevDirectory(dir: string, { isFresh }: { readonly isFresh: boolean }): DevDirectory {
  const marker = join(dir, markerName)
  requireOwnDirectory(dir)
  refuseForeign(dir, marker)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writePrivateFile(marker, 'svc dev made this directory; svc dev --fresh deletes it with everything in it.\n')
  const lock = take(join(dir, lockName), (process) => `svc dev${process} already runs in ${dir}`)
  if (isFresh) empty(dir)
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
      lock[Symbol.dispose]()
    },
  }
}

function refuseForeign(dir: string, marker: string): void {
  if (!existsSync(dir) || existsSync(marker) || readdirSync(dir).length === 0) return
  throw new CommandError(`${dir} holds files and was not made by svc dev; choose another directory with --dir`)
}

function take(lockPath: string, describe: (process: string) => string): Disposable {
  try {
    return lockFile(lockPath)
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    const process = error.holder === undefined ? '' : ` (process ${error.holder.pid})`
    throw new CommandError(`${describe(process)}; stop it, or choose another directory with --dir`, { cause: error })
  }
}

/** Deletes everything except the marker and the lock. Throws CommandError while svc serve uses the gateway's data. */
function empty(dir: string): void {
  const gateway = join(dir, 'gateway')
  using locks = new DisposableStack()
  for (const path of [join(gateway, 'db', 'svc.db.lock'), join(gateway, 'cache', lockName)]) {
    locks.use(take(path, (process) => `another svc${process} uses ${gateway}`))
  }
  for (const name of readdirSync(dir)) {
    if (name !== markerName && !name.startsWith(lockName)) rmSync(join(dir, name), { recursive: true, force: true })
  }
}
