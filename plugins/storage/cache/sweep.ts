import { lstat, opendir, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Database, Log } from '#kernel'
import { blobsFolder } from './blob-folders.ts'
import { knownBlobs, markSwept, unsweptEpochs } from './cache-store.ts'
import { type Disk, isMissing } from './disk.ts'

/** Ids looked up at once: about a millisecond of the event loop. */
const idsPerLook = 500

export interface Sweep {
  readonly database: Database
  readonly disk: Disk
  readonly dir: string
  /** Start under way: its files may have no row yet. */
  readonly epoch: number
  /** When this start began, by the clock of the file system: that of the process may differ, or have been set back. */
  readonly startMs: number
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** The walk through the files of one earlier start. */
interface Walk extends Sweep {
  removedFiles: number
  /** Files and folders that this sweep could not judge or remove. Its epoch is swept again by the next start. */
  left: number
  fault: unknown
}

/**
 * Removes files of earlier starts that no row names: what crashes left behind. Folders of starts that this database does not know are
 * left alone, because they belong to another database or to rows that a restored backup no longer has. A file that was written after
 * this start began is left alone too: it may be an upload of another process, whose row is not committed yet.
 */
export async function sweepOrphans(sweep: Sweep): Promise<{ readonly removedFiles: number }> {
  const { database, clock, log, dir } = sweep
  let removedFiles = 0
  for (const epoch of unsweptEpochs(database.read, sweep.epoch)) {
    const walk: Walk = { ...sweep, removedFiles: 0, left: 0, fault: undefined }
    await sweepEpoch(walk, join(dir, blobsFolder, String(epoch)))
    removedFiles += walk.removedFiles
    if (walk.left === 0) await database.write((tx) => markSwept(tx, epoch, clock.now()))
    else log.warn('leftover files remain in the cache; the next start sweeps again', { epoch, left: walk.left, error: walk.fault })
  }
  if (removedFiles > 0) log.info('files that an earlier stop left unfinished were removed from the cache', { files: removedFiles })
  return { removedFiles }
}

async function sweepEpoch(walk: Walk, root: string): Promise<void> {
  for (const name of await namesIn(walk, root)) {
    const folder = join(root, name)
    await attempt(walk, () => sweepFolder(walk, folder))
    await removeEmpty(folder)
  }
  await removeEmpty(root)
}

async function sweepFolder(walk: Walk, folder: string): Promise<void> {
  let ids: string[] = []
  for await (const { name: id } of await opendir(folder, { bufferSize: idsPerLook })) {
    ids.push(id)
    if (ids.length < idsPerLook) continue
    await removeUnknown(walk, folder, ids)
    ids = []
  }
  await removeUnknown(walk, folder, ids)
}

async function removeUnknown(walk: Walk, folder: string, ids: readonly string[]): Promise<void> {
  const { database, disk, signal, startMs } = walk
  signal.throwIfAborted()
  const known = knownBlobs(database.read, ids)
  for (const id of ids) {
    if (known.has(id)) continue
    await attempt(walk, async () => {
      const path = join(folder, id)
      if ((await lstat(path)).mtimeMs >= startMs) {
        walk.left += 1
        return
      }
      await disk.unlink(path)
      walk.removedFiles += 1
    })
  }
}

/** A name that is gone is none to remove; another fault must not keep the sweep from the other files. */
async function attempt(walk: Walk, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    walk.signal.throwIfAborted()
    if (isMissing(error)) return
    walk.left += 1
    walk.fault ??= error
  }
}

async function namesIn(walk: Walk, root: string): Promise<readonly string[]> {
  let names: readonly string[] = []
  await attempt(walk, async () => {
    names = await readdir(root)
  })
  return names
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    // It holds files, is gone, is no folder, or may not be removed: an empty folder takes no room.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
