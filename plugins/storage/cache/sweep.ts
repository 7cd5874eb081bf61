import { opendir, readdir, rmdir } from 'node:fs/promises'
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
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * Removes files of earlier starts that no row names: what crashes left behind. Folders of starts that this database does not know are
 * left alone, because they belong to another database or to rows that a restored backup no longer has.
 */
export async function sweepOrphans(sweep: Sweep): Promise<{ readonly removedFiles: number }> {
  let removedFiles = 0
  for (const epoch of unsweptEpochs(sweep.database.read, sweep.epoch)) {
    removedFiles += await sweepEpoch(sweep, join(sweep.dir, blobsFolder, String(epoch)))
    await sweep.database.write((tx) => markSwept(tx, epoch, sweep.clock.now()))
  }
  if (removedFiles > 0) sweep.log.info('files that an earlier stop left unfinished were removed from the cache', { files: removedFiles })
  return { removedFiles }
}

async function sweepEpoch(sweep: Sweep, root: string): Promise<number> {
  let removed = 0
  for (const name of await namesIn(root)) {
    const folder = join(root, name)
    let ids: string[] = []
    for await (const { name: id } of await opendir(folder, { bufferSize: idsPerLook })) {
      ids.push(id)
      if (ids.length < idsPerLook) continue
      removed += await removeUnknown(sweep, folder, ids)
      ids = []
    }
    removed += await removeUnknown(sweep, folder, ids)
    await removeEmpty(folder)
  }
  await removeEmpty(root)
  return removed
}

async function removeUnknown({ database, disk, signal }: Sweep, folder: string, ids: readonly string[]): Promise<number> {
  signal.throwIfAborted()
  const known = knownBlobs(database.read, ids)
  const orphans = ids.filter((id) => !known.has(id))
  for (const id of orphans) await disk.unlink(join(folder, id))
  return orphans.length
}

async function namesIn(root: string): Promise<string[]> {
  try {
    return await readdir(root)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    // It still holds blobs, or it was never made: both are as they should be.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
