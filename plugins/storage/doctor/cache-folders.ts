/** Folders of recorded files that are missing as a whole, as on a disk that is not mounted. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reader } from '#kernel'
import type { Finding } from '#kernel/system'
import { blobsFolder } from '../cache/blob-folders.ts'
import { isInDatabase } from '../catalog/cache-bytes-store.ts'
import { type RecordedFile, recordedEpochs } from './cache-files-store.ts'
import { problemOf } from './inspect-file.ts'

/** Folders named in the repair. */
const namedMax = 5

interface FolderProblem {
  readonly path: string
  readonly problem: string
}

/** The folder of the start, or the first one above it, that is missing or cannot be entered. */
async function folderProblem(dir: string, epoch: number): Promise<FolderProblem | undefined> {
  for (const path of [dir, join(dir, blobsFolder), epochFolder(dir, epoch)]) {
    const problem = await problemAt(path)
    if (problem !== undefined) return { path, problem }
  }
  return undefined
}

const epochFolder = (dir: string, epoch: number): string => join(dir, blobsFolder, String(epoch))

async function problemAt(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return 'is not a folder'
    await access(path, constants.X_OK)
    return undefined
  } catch (error) {
    return problemOf(error)
  }
}

/** Problems of the folders that hold these files, by epoch. */
export async function unusableFolders(
  dir: string,
  files: readonly Pick<RecordedFile, 'epoch'>[],
): Promise<ReadonlyMap<number, FolderProblem>> {
  const problems = new Map<number, FolderProblem>()
  for (const epoch of new Set(files.filter((file) => !isInDatabase(file)).map((file) => file.epoch))) {
    const problem = await folderProblem(dir, epoch)
    if (problem) problems.set(epoch, problem)
  }
  return problems
}

/** One finding for all of them: their files are not looked at one by one, because no fix may forget what is on another disk. */
export async function findUnusableFolders(read: Reader, dir: string): Promise<readonly Finding[]> {
  const epochs = await recordedEpochs(read)
  const problems = await unusableFolders(dir, epochs)
  const [first] = problems.values()
  if (first === undefined) return []
  const files = epochs.reduce((sum, { epoch, files }) => sum + (problems.has(epoch) ? files : 0), 0)
  const named = [...problems.keys()].slice(0, namedMax).map((epoch) => epochFolder(dir, epoch))
  const more = problems.size > namedMax ? ` and ${problems.size - namedMax} more` : ''
  return [
    {
      severity: 'error',
      subject: { kind: 'cache directory', id: dir },
      message: `${first.path} ${first.problem}, but the database records ${files === 1 ? '1 file' : `${files} files`} in it`,
      repair: `Mount its disk, or restore it from a backup, and run svc doctor again. Only if the files are lost: create the folders ${named.join(', ')}${more}, then svc doctor shows what providers have`,
    },
  ]
}
