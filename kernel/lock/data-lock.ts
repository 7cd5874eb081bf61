import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { databasePath, isPostgres } from '../config/database-path.ts'
import type { SettingsReader } from '../config/section.ts'
import type { LoadedPlugin } from '../core/loaded-plugin.ts'
import { contributionsTo } from '../core/wiring.ts'
import { LockedError, type LockHolder, lockFile } from './file-lock.ts'
import { type LockWait, lockOrWait } from './lock-wait.ts'
import { ownedDirectories } from './owned-directory.ts'
import { requireWritable } from './writable-directory.ts'

const databaseLabel = 'directory of the database'

/** The data of the enabled plugins and their database. */
interface Data {
  readonly enabled: readonly LoadedPlugin[]
  readonly dsn: string
  readonly settings: SettingsReader
}

interface Target {
  readonly label: string
  readonly path: string
  readonly lockPath: string
}

/**
 * Locks the database and every owned directory of the enabled plugins until the result is disposed or the process ends (I-26). Call it
 * before any of them is opened. Throws with the name of the holder when another process has one.
 */
export async function lockData(data: Data, wait?: LockWait): Promise<Disposable> {
  const targets = findTargets(data)
  return lockOrWait(() => lockAll(targets), isInUse, wait)
}

/** The same, without creating directories that are missing. */
export async function lockExistingData(data: Data): Promise<Disposable> {
  return lockAll(findTargets(data, existsSync))
}

const isInUse = (error: unknown): boolean => error instanceof Error && error.cause instanceof LockedError

/** Locks all targets or none. */
function lockAll(targets: readonly Target[]): Disposable {
  using locks = new DisposableStack()
  for (const { label, path, lockPath } of targets) {
    try {
      locks.use(lockFile(lockPath))
    } catch (error) {
      if (!(error instanceof LockedError)) throw error
      throw new Error(`the ${label} ${path} is in use by ${describe(error.holder)}; stop it first`, { cause: error })
    }
  }
  return locks.move()
}

const describe = (holder: LockHolder | undefined): string =>
  holder === undefined ? 'another svc' : `another svc (process ${holder.pid} on ${holder.host}, since ${holder.since})`

function findTargets(data: Data, isWanted: (directory: string) => boolean = () => true): readonly Target[] {
  const directories = contributionsTo(ownedDirectories, data.enabled).flatMap(({ item }): readonly Target[] => {
    const wanted = resolve(item.path(data.settings))
    if (!isWanted(wanted)) return []
    const path = realDirectory(item.label, wanted)
    return [{ label: item.label, path, lockPath: join(path, 'svc.lock') }]
  })
  // The lock of a PostgreSQL database is held by the session that writes.
  if (isPostgres(data.dsn)) return directories
  const file = resolve(databasePath(data.dsn))
  if (!isWanted(dirname(file))) return directories
  const database = realFile(file)
  return [{ label: 'database', path: database, lockPath: `${database}.lock` }, ...directories]
}

/** Resolves symbolic links, so that every path to the file has one name. */
function realFile(path: string): string {
  if (!existsSync(path)) return join(realDirectory(databaseLabel, dirname(path)), basename(path))
  const file = realpathSync(path)
  requireWritable(databaseLabel, dirname(file))
  return file
}

function realDirectory(label: string, path: string): string {
  requireWritable(label, path)
  return realpathSync(path)
}
