import { accessSync, constants, readdirSync, rmSync } from 'node:fs'
import { mkdir, readdir, rmdir, unlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { CommandError, type Database } from '#kernel'
import { type BackupFiles, LockedError, lockFile } from '#kernel/system'
import { filesFolder, isOwnName, isRunName, lockName } from './backup-layout.ts'
import { type Manifest, readManifest } from './manifest.ts'

/** Names of one look-up. */
const namesPerPage = 500

export interface BackupTarget extends Disposable {
  readonly dir: string
  /** The backup that the directory has. */
  readonly earlier: Manifest | undefined
}

/** Locks the directory, making it when it is missing. Refuses one that has other files. */
export async function openTarget(dir: string): Promise<BackupTarget> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const entries = readdirSync(dir, { withFileTypes: true })
  // Some file systems make lost+found where they are mounted.
  const other = entries.find((entry) => !isOwnName(entry.name) && !(entry.name === 'lost+found' && entry.isDirectory()))
  if (other) throw new CommandError(`${dir} is not a backup directory: it has ${other.name}. Name an empty or a new one`)
  const lock = lockDirectory(dir)
  try {
    return { dir, earlier: readManifest(dir), [Symbol.dispose]: () => lock[Symbol.dispose]() }
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

/** Until it is disposed, no other backup, restore or verification uses the directory. */
function lockDirectory(dir: string): Disposable {
  try {
    return lockFile(join(dir, lockName))
  } catch (cause) {
    if (!(cause instanceof LockedError)) throw cause
    const holder = cause.holder ? ` (process ${cause.holder.pid} on ${cause.holder.host}, since ${cause.holder.since})` : ''
    throw new CommandError(`${dir} is in use by another svc backup or restore${holder}; wait until it ends`, { cause })
  }
}

/** Removes what earlier and torn runs left: call it after the manifest of the run is durable. */
export async function removeLeftovers(dir: string, run: string, sources: readonly BackupFiles[], read: Database['read']): Promise<void> {
  for (const name of await readdir(dir)) {
    if (isRunName(name) && name !== run) rmSync(join(dir, name), { recursive: true, force: true })
  }
  for (const source of sources) {
    const root = join(dir, filesFolder, source.name)
    await removeUnknown(root, root, { source, read })
  }
}

interface Known {
  readonly source: BackupFiles
  readonly read: Database['read']
}

/** Removes the files of the folder and of those below it that the backup does not name, and folders that are empty then. */
async function removeUnknown(root: string, folder: string, known: Known): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const entry of entries) if (entry.isDirectory()) await removeUnknown(root, join(folder, entry.name), known)
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  for (let at = 0; at < names.length; at += namesPerPage) {
    const paths = names.slice(at, at + namesPerPage).map((name) => join(relative(root, folder), name))
    const kept = await known.source.known(known.read, paths)
    for (const path of paths) if (!kept.has(path)) await unlink(join(root, path))
  }
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error
  })
}

/** A directory on a read-only disk cannot be changed by another svc. */
export function lockIfWritable(dir: string): Disposable {
  try {
    accessSync(dir, constants.W_OK)
  } catch {
    return { [Symbol.dispose]() {} }
  }
  return lockDirectory(dir)
}
