/**
 * The folder that a build of the dashboard replaces. One build at a time prepares a stage beside it, and only the holder of the lock
 * publishes one: a build whose command was killed may still write its stage, and never the folder.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { LockedError, type LockHolder, lockFile } from '../lock/file-lock.ts'

interface BuildPlace extends Disposable {
  /** Puts the folder `new` of the stage into its place, with two renames, and removes the stage with the earlier build. */
  publish(stage: string): void
}

/** The stages of a folder have these six letters of `mkdtemp` after its name. */
const stageMark = /^\.svc-build-[A-Za-z0-9]{6}$/
const newName = 'new'
const oldName = 'old'

/** @throws Error that names the process that builds there now */
export function openBuildPlace(out: string): BuildPlace {
  const folder = realPath(resolve(out))
  makeReadable(dirname(folder))
  const lock = lockPlace(folder)
  try {
    settle(folder)
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
  return {
    publish: (stage) => publish(stage, folder),
    [Symbol.dispose]: () => lock[Symbol.dispose](),
  }
}

/** A build ended between its two renames: the earlier one is in its stage. */
export const isReplacementCut = (folder: string): boolean =>
  !existsSync(folder) && listStages(folder).some((stage) => existsSync(join(stage, oldName)))

/** A build for another program may be read by all users, as its files are. */
function makeReadable(parent: string): void {
  const before = process.umask(0o022)
  try {
    mkdirSync(parent, { recursive: true })
  } finally {
    process.umask(before)
  }
}

function lockPlace(folder: string): Disposable {
  try {
    return lockFile(`${folder}.lock`)
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    throw new Error(`${folder} is being built by ${describe(error.holder)}: wait until it has ended`, { cause: error })
  }
}

const describe = (holder: LockHolder | undefined): string =>
  holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}, since ${holder.since}`

/** Brings back the build that a killed one was replacing, and removes what it left. */
function settle(folder: string): void {
  for (const stage of listStages(folder)) {
    const old = join(stage, oldName)
    if (!existsSync(folder) && existsSync(old)) renameSync(old, folder)
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Stages of other users are not touched: a directory such as /tmp lets every user add some. */
function listStages(folder: string): readonly string[] {
  const [parent, name] = [dirname(folder), basename(folder)]
  if (!existsSync(parent)) return []
  const { uid: owner } = lstatSync(parent)
  const trusted = [process.getuid?.() ?? owner, owner]
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(name) && stageMark.test(entry.name.slice(name.length)))
    .map((entry) => join(parent, entry.name))
    .filter((path) => trusted.includes(lstatSync(path).uid))
}

function publish(stage: string, folder: string): void {
  const old = join(stage, oldName)
  const hasOld = existsSync(folder)
  if (hasOld) renameSync(folder, old)
  try {
    renameSync(join(stage, newName), folder)
  } catch (error) {
    if (hasOld) renameSync(old, folder)
    throw error
  }
  rmSync(stage, { recursive: true, force: true })
}

/** Resolves a folder that does not exist yet, too. */
const realPath = (path: string): string =>
  existsSync(path) || dirname(path) === path ? realpathSync(path) : join(realPath(dirname(path)), basename(path))
