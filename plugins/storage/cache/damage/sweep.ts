import { lstat, opendir, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Database, Log } from '#kernel'
import { knownBlobs } from '../../catalog/cached/cache-entry-store.ts'
import { hasRecordedFiles, markSwept, unsweptEpochs } from '../../catalog/cached/cache-epoch-store.ts'
import { startPath } from '../files/cache-paths.ts'
import type { CacheRoot } from '../files/cache-root.ts'
import { type Disk, isMissing } from '../files/disk.ts'

/** Ids per database lookup: blocks the event loop for about a millisecond. */
const idsPerLookup = 500

export interface Sweep {
  readonly database: Database
  readonly disk: Disk
  readonly root: Pick<CacheRoot, 'require'>
  readonly dir: string
  /** The current start: its files may have no row yet. */
  readonly epoch: number
  /** When this start began, by the clock of the file system: the clock of the process may differ or have been set back. */
  readonly startMs: number
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** The sweep of one earlier start's files. */
interface Walk extends Sweep {
  removedFiles: number
  /** Files and folders that could not be read, removed or attributed. Above 0, the next start sweeps the epoch again. */
  left: number
  fault: unknown
}

/**
 * Removes orphans that crashes of earlier starts left. Keeps folders of starts that this database does not know: they belong to another
 * database or to rows that a restored backup lacks. Keeps files written after this start began: they may be uploads of another process
 * whose rows are not committed yet.
 */
export async function sweepOrphans(sweep: Sweep): Promise<{ readonly removedFiles: number }> {
  const { database, root, clock, log, dir } = sweep
  let removedFiles = 0
  for (const epoch of await unsweptEpochs(database.read, sweep.epoch)) {
    await root.require()
    const walk: Walk = { ...sweep, removedFiles: 0, left: 0, fault: undefined }
    const folder = startPath(dir, epoch)
    await sweepEpoch(walk, folder)
    // A file that a row names is known to be lost while the folder exists; without it, the disk may not be mounted (I-37).
    if (!(await hasRecordedFiles(database.read, epoch))) await removeEmpty(folder)
    removedFiles += walk.removedFiles
    // I-38: without its disk, all folders seem to be swept.
    await root.require()
    if (walk.left === 0) await database.write((tx) => markSwept(tx, epoch, clock.now()))
    else log.warn('orphan cache files not removed; the next start retries', { epoch, left: walk.left, error: walk.fault })
  }
  if (removedFiles > 0) log.info('orphan cache files removed', { files: removedFiles })
  return { removedFiles }
}

async function sweepEpoch(walk: Walk, root: string): Promise<void> {
  for (const name of await namesIn(walk, root)) {
    const folder = join(root, name)
    await attempt(walk, () => sweepFolder(walk, folder))
    await removeEmpty(folder)
  }
}

async function sweepFolder(walk: Walk, folder: string): Promise<void> {
  let ids: string[] = []
  for await (const { name: id } of await opendir(folder, { bufferSize: idsPerLookup })) {
    ids.push(id)
    if (ids.length < idsPerLookup) continue
    await removeUnknown(walk, folder, ids)
    ids = []
  }
  await removeUnknown(walk, folder, ids)
}

async function removeUnknown(walk: Walk, folder: string, ids: readonly string[]): Promise<void> {
  const { database, disk, signal, startMs } = walk
  signal.throwIfAborted()
  const known = await knownBlobs(database.read, ids)
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

/** Ignores a missing file, and records any other error so that the sweep continues with the other files. */
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
    // Not empty, missing, not a folder or not permitted: harmless, because an empty folder takes no space.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
