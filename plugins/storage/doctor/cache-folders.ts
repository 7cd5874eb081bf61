/** Folders of recorded files that are missing as a whole, as on a disk that is not mounted. */
import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import type { Reader } from '#kernel'
import type { Finding } from '#kernel/system'
import { blobsFolder, blobsPath, startPath } from '../cache/files/cache-paths.ts'
import { identityPath, readIdentity } from '../cache/files/identity.ts'
import { isInDatabase } from '../catalog/cached/cache-bytes-store.ts'
import { recordedCacheId } from '../catalog/cached/cache-epoch-store.ts'
import { knownEpochs, type RecordedFile, recordedEpochs } from './cache-files-store.ts'
import { problemOf } from './inspect-file.ts'

/** Folders named in the repair. */
const namedMax = 5

interface FolderProblem {
  readonly path: string
  readonly problem: string
}

/** The cache and its recorded identity; undefined: no start recorded one. */
interface RecordedFolder {
  readonly dir: string
  readonly cacheId: string | undefined
}

/** The folder of the start, or the first one above it, that is missing, is another one or cannot be entered. */
async function folderProblem({ dir, cacheId }: RecordedFolder, epoch: number): Promise<FolderProblem | undefined> {
  for (const path of [dir, blobsPath(dir), startPath(dir, epoch)]) {
    const problem = (await problemAt(path)) ?? (path === dir && cacheId !== undefined ? await identityProblem(dir, cacheId) : undefined)
    if (problem !== undefined) return { path, problem }
  }
  return undefined
}

/** I-38. An operator accepts a folder with an empty identity file. */
async function identityProblem(dir: string, cacheId: string): Promise<string | undefined> {
  try {
    const found = await readIdentity(dir)
    if (found === cacheId || found === '') return undefined
    return found === undefined ? 'has no identity file' : 'has the identity file of another cache'
  } catch (error) {
    return `has an identity file that ${problemOf(error)}`
  }
}

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
  { read, dir }: { readonly read: Reader; readonly dir: string },
  files: readonly Pick<RecordedFile, 'epoch'>[],
): Promise<ReadonlyMap<number, FolderProblem>> {
  const problems = new Map<number, FolderProblem>()
  const folder = { dir, cacheId: await recordedCacheId(read) }
  for (const epoch of new Set(files.filter((file) => !isInDatabase(file)).map((file) => file.epoch))) {
    const problem = await folderProblem(folder, epoch)
    if (problem) problems.set(epoch, problem)
  }
  return problems
}

/** One finding for all of them: their files are not looked at one by one, because no fix may forget what is on another disk. */
export async function findUnusableFolders(read: Reader, dir: string): Promise<readonly Finding[]> {
  const epochs = await recordedEpochs(read)
  const problems = await unusableFolders({ read, dir }, epochs)
  const [first] = problems.values()
  if (first === undefined) return []
  const files = epochs.reduce((sum, { epoch, files }) => sum + (problems.has(epoch) ? files : 0), 0)
  const named = [...problems.keys()].slice(0, namedMax).map((epoch) => startPath(dir, epoch))
  const more = problems.size > namedMax ? ` and ${problems.size - namedMax} more` : ''
  const identity = first.path === dir ? ` and the empty file ${identityPath(dir)}` : ''
  return [
    {
      severity: 'error',
      subject: { kind: 'cache directory', id: dir },
      message: `${first.path} ${first.problem}, but the database records ${files === 1 ? '1 file' : `${files} files`} in it`,
      repair: `Mount its disk, or restore it from a backup, and run svc doctor again. Only if the files are lost: create the folders ${named.join(', ')}${more}${identity}, then svc doctor shows what providers have`,
    },
    ...(first.path === dir ? await findBelow(dir, await knownEpochs(read)) : []),
  ]
}

/** What an earlier version wrote at the path of a disk that was not mounted. */
async function findBelow(dir: string, epochs: readonly number[]): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const epoch of epochs) {
    const path = startPath(dir, epoch)
    if (findings.length === namedMax || !(await hasEntries(path))) continue
    findings.push({
      severity: 'warning',
      subject: { kind: 'cache folder', id: String(epoch) },
      message: `${path} has files of this database: a start of an earlier version wrote them while the disk of the cache was not mounted`,
      repair: `Mount the disk of the cache at another place, copy ${path} into its folder ${blobsFolder} without replacing files (cp -an), and mount the disk at ${dir} again. Keep the files until all objects can be read: one that svc meanwhile took for lost needs its bytes uploaded again`,
    })
  }
  return findings
}

async function hasEntries(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).length > 0
  } catch (error) {
    // The finding of the whole folder says what is wrong.
    problemOf(error)
    return false
  }
}
