import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Database } from '#kernel'
import type { BackupFile, BackupFiles } from '#kernel/system'
import { filePath } from './backup-layout.ts'
import { copyFile, sha256OfFile, syncFolders } from './copy-file.ts'
import { inParallel } from './in-parallel.ts'

const filesPerPage = 200

/** Files of a plugin, and the directory that has them. */
export interface FileSource {
  readonly files: BackupFiles
  readonly directory: string
}

export interface Collecting {
  readonly dir: string
  readonly sources: readonly FileSource[]
  readonly isAll: boolean
  readonly signal: AbortSignal
  readonly onFile: (bytes: number) => void
}

interface Damaged {
  readonly path: string
  readonly meaning: string
}

export interface Pass {
  /** Files of the state that the backup has now. */
  files: number
  bytes: number
  /** Files that this pass copied. */
  copied: number
  copiedBytes: number
  /** Files of the state that were removed before they were copied: a later state does not have them. */
  vanished: number
  readonly damaged: Damaged[]
}

/** Every file of the state, in pages. */
async function* pagesOf(read: Database['read'], { sources, isAll }: Pick<Collecting, 'sources' | 'isAll'>) {
  for (const source of sources) {
    for (let after = ''; ; ) {
      const page = await source.files.page(read, { after, limit: filesPerPage, isAll })
      const last = page.at(-1)
      if (!last) break
      yield { source, page }
      after = last.id
    }
  }
}

/** Bytes of the files that the backup lacks. */
export async function bytesToCopy(read: Database['read'], collecting: Collecting): Promise<number> {
  let bytes = 0
  for await (const { source, page } of pagesOf(read, collecting)) {
    const present = await inParallel(page, (file) => isPresent(collecting.dir, source, file))
    for (const [at, file] of page.entries()) if (!present[at]) bytes += file.bytes
  }
  return bytes
}

type Entry = { readonly path: string; readonly bytes: number; readonly sha256: string; readonly isNew: boolean }
type Fault = 'missing' | 'damaged'

/** Copies the files that the backup lacks. `onEntry` gets the path and checksum of each file that it has. */
export async function collectFiles(
  read: Database['read'],
  collecting: Collecting,
  onEntry: (path: string, sha256: string) => Promise<void> = async () => {},
): Promise<Pass> {
  const pass: Pass = { files: 0, bytes: 0, copied: 0, copiedBytes: 0, vanished: 0, damaged: [] }
  const folders = new Set<string>()
  for await (const { source, page } of pagesOf(read, collecting)) {
    const results = await inParallel(page, (file) => take(collecting, source, file))
    for (const [at, file] of page.entries()) {
      const result = results[at] as Entry | Fault
      if (typeof result === 'string') {
        countFault(pass, file, result)
        continue
      }
      count(pass, result)
      if (result.isNew) for (const folder of parentsOf(result.path)) folders.add(join(collecting.dir, folder))
      await onEntry(result.path, result.sha256)
    }
  }
  await syncFolders(folders)
  return pass
}

function countFault(pass: Pass, { path, meaning, isIntact }: BackupFile, fault: Fault): void {
  if (fault === 'missing' && isIntact) pass.vanished += 1
  else pass.damaged.push({ path, meaning })
}

function count(pass: Pass, { bytes, isNew }: Entry): void {
  pass.files += 1
  pass.bytes += bytes
  if (!isNew) return
  pass.copied += 1
  pass.copiedBytes += bytes
}

function* parentsOf(path: string) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    yield folder
    if (folder === '.') return
  }
}

async function take({ dir, signal, onFile }: Collecting, source: FileSource, file: BackupFile): Promise<Entry | Fault> {
  const path = filePath(source.files.name, file.path)
  const to = join(dir, path)
  if (await isPresent(dir, source, file)) {
    const sha256 = file.sha256 ?? (await sha256OfFile(to, signal))
    if (sha256 !== undefined) return { path, bytes: file.bytes, sha256, isNew: false }
  }
  const copied = await copyFile({ ...file, from: join(source.directory, file.path), to, signal })
  if (copied.outcome !== 'copied') return copied.outcome
  onFile(file.bytes)
  return { path, bytes: file.bytes, sha256: copied.sha256, isNew: true }
}

/** A file gets its name when it is whole. */
async function isPresent(dir: string, source: FileSource, { path, bytes }: BackupFile): Promise<boolean> {
  const found = await stat(join(dir, filePath(source.files.name, path))).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return found?.size === bytes
}
