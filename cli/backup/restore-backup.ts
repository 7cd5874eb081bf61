import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError } from '#kernel'
import { openSqliteFile } from '#kernel/host'
import { saveConfigFile } from '#kernel/system'
import { configName, databaseName, filesFolder } from './backup-layout.ts'
import type { FileSource } from './collect-files.ts'
import { copyFile, syncFolders } from './copy-file.ts'
import { inParallel } from './in-parallel.ts'
import type { Manifest } from './manifest.ts'
import { isDiskFull, requireRoom } from './room.ts'
import { pagesOfSums, type Sum } from './sums.ts'
import { requireSums } from './verify-backup.ts'

interface RestoreRequest {
  readonly dir: string
  readonly manifest: Manifest
  /** New or empty. */
  readonly to: string
  readonly sources: readonly Pick<FileSource, 'files'>[]
  readonly signal: AbortSignal
  readonly onProgress: (line: string) => void
}

/** Throws when the directory has files: they would be mixed with those of the backup. */
export function requireEmpty(to: string): void {
  const [name] = existsSync(to) ? readdirSync(to) : []
  if (name !== undefined) throw new CommandError(`${to} is not empty: it has ${name}; nothing was changed. Name a new directory`)
}

/** Copies the backup into an empty directory and compares every byte. A failed restore removes what it made. The configuration is last. */
export async function restoreBackup(request: RestoreRequest): Promise<string> {
  const { to, manifest, dir, signal } = request
  requireEmpty(to)
  const sums = await requireSums(dir, manifest, signal)
  await mkdir(to, { recursive: true, mode: 0o700 })
  await requireRoom(to, manifest.file_bytes + manifest.database_bytes, 'the restore')
  try {
    await copyAll(request, sums)
    return await placeConfig(request)
  } catch (cause) {
    for (const name of readdirSync(to)) await rm(join(to, name), { recursive: true, force: true })
    if (isDiskFull(cause)) throw new CommandError(`the disk of ${to} is full; nothing was restored`, { cause })
    throw cause
  }
}

async function copyAll({ dir, manifest, to, sources, signal, onProgress }: RestoreRequest, sums: string): Promise<void> {
  const folders = new Set<string>([to])
  let copied = 0
  for await (const page of pagesOfSums(sums)) {
    const made = await inParallel(page, (sum) => copyOne(sum, { dir, to: placeOf(to, sum, manifest), signal }))
    for (const path of made) folders.add(dirname(path))
    copied += page.length
    onProgress(`${copied} of ${manifest.files + 2} files restored`)
  }
  using database = await openSqliteFile(databaseIn(to))
  for (const { files } of sources) {
    const root = join(to, files.name)
    for (const folder of ['.', ...(await files.folders(database))]) await mkdir(join(root, folder), { recursive: true, mode: 0o700 })
    for (const [path, text] of Object.entries(files.restored)) await writeFile(join(root, path), text, { flush: true })
    folders.add(root)
  }
  await syncFolders(folders)
}

const databaseIn = (to: string): string => join(to, 'db', 'svc.db')

function placeOf(to: string, { path }: Sum, { run }: Manifest): string {
  if (path === `${run}/${databaseName}`) return databaseIn(to)
  if (path === `${run}/${configName}`) return join(to, `${configName}.restored`)
  if (path.startsWith(`${filesFolder}/`)) return join(to, path.slice(filesFolder.length + 1))
  throw new CommandError(`the list of checksums has a file that is not of this backup: ${path}`)
}

async function copyOne({ path, sha256 }: Sum, { dir, to, signal }: { dir: string; to: string; signal: AbortSignal }): Promise<string> {
  const from = join(dir, path)
  const found = await stat(from).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(`${from} cannot be read: ${cause.message}; nothing was restored`, { cause })
  })
  const { outcome } = await copyFile({ from, to, bytes: found.size, sha256, signal })
  if (outcome === 'copied') return to
  throw new CommandError(
    `${from} is ${outcome}; nothing was restored. svc backup verify lists all such files; use another copy of the directory`,
  )
}

/** Writes the configuration under its name, with the places of the restored data. */
async function placeConfig({ to, sources }: RestoreRequest): Promise<string> {
  const restored = join(to, `${configName}.restored`)
  const fields = sources.map(({ files }) => [files.field, join(to, files.name)] as const)
  saveConfigFile(restored, {
    'database.driver': 'sqlite',
    'database.dsn': pathToFileURL(databaseIn(to)).href,
    ...Object.fromEntries(fields),
  })
  const path = join(to, configName)
  await rename(restored, path)
  await syncFolders([to])
  return path
}
