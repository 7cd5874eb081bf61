import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '#kernel'
import { changeSqliteCopy, openSqliteFile, type SqliteFile } from '#kernel/host'
import { version } from '#kernel/system'
import { configName, databaseName, runName, sumsName } from './backup-layout.ts'
import { type BackupTarget, removeLeftovers } from './backup-target.ts'
import { bytesToCopy, type Collecting, collectFiles, type FileSource, type Pass } from './collect-files.ts'
import { sha256OfFile, syncFolders } from './copy-file.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'
import { isDiskFull, requireRoom } from './room.ts'
import { SumsWriter } from './sums.ts'

/** States whose files are tried, while files are removed. */
const statesMax = 20

export interface BackupRequest {
  readonly target: BackupTarget
  readonly databasePath: string
  readonly sources: readonly FileSource[]
  readonly isAll: boolean
  /** Text of the configuration. */
  readonly config: string
  readonly withSecrets: boolean
  readonly signal: AbortSignal
  readonly onProgress: (line: string) => void
}

export interface BackupResult extends Pick<Pass, 'damaged' | 'copied' | 'copiedBytes'> {
  readonly manifest: Manifest
}

/**
 * Copies the files of a state of the database, then that state. A file that the gateway removes during that is one that a later state does
 * not need, so another state is tried, whose other files are copied already. An earlier backup in the directory stays whole until the new
 * one is complete.
 */
export async function makeBackup(request: BackupRequest): Promise<BackupResult> {
  const { target } = request
  const run = runName(Date.now())
  const place = join(target.dir, run)
  const result = await writeRun(request, run, place).catch(async (cause: unknown) => {
    // The manifest may name the run although writing it failed.
    if (readManifest(target.dir)?.run !== run) await rm(place, { recursive: true, force: true })
    if (!isDiskFull(cause)) throw cause
    const earlier = target.earlier ? `; the backup of ${target.earlier.started_at} is unchanged` : ''
    throw new CommandError(`the disk of ${target.dir} is full${earlier}. Free room there, then run svc backup again: it continues`, {
      cause,
    })
  })
  using copied = await openSqliteFile(join(place, databaseName))
  const sources = request.sources.map(({ files }) => files)
  await removeLeftovers(target.dir, run, sources, copied).catch((cause: unknown) => {
    throw new CommandError(
      `the backup of ${result.manifest.started_at} in ${target.dir} is complete, but old files could not be removed; the next svc backup removes them`,
      { cause },
    )
  })
  return result
}

async function writeRun(request: BackupRequest, run: string, place: string): Promise<BackupResult> {
  const { target, signal } = request
  const startedAt = new Date().toISOString()
  const total = { files: 0, bytes: 0 }
  using database = await openSqliteFile(request.databasePath)
  const collecting: Collecting = {
    ...request,
    dir: target.dir,
    onFile(bytes) {
      total.files += 1
      total.bytes += bytes
      request.onProgress(`${total.files} files copied`)
    },
  }
  await requireRoom(target.dir, (await bytesToCopy(database, collecting)) + database.bytes, 'the backup')
  await mkdir(place, { mode: 0o700 })
  // While a state is pinned, the write-ahead log of the gateway grows: most files are copied before.
  await collectFiles(database, collecting)
  await using sums = await SumsWriter.create(join(place, sumsName))
  const pass = await copyState(database, { request, collecting, place, sums })
  const copy = join(place, databaseName)
  request.onProgress('checksums')
  for (const name of [databaseName, configName]) await sums.add(`${run}/${name}`, await requireSha256(join(place, name), signal))
  await sums.sync()
  await syncFolders([place, target.dir])
  using copied = await openSqliteFile(copy)
  const manifest: Manifest = {
    ...{ run, svc: version.version, started_at: startedAt, is_all: request.isAll, with_secrets: request.withSecrets },
    ...{ files: pass.files, file_bytes: pass.bytes, database_bytes: copied.bytes, damaged: pass.damaged.length },
    sums_sha256: await requireSha256(join(place, sumsName), signal),
    only_at_providers: await countElsewhere(request.sources, copied),
  }
  signal.throwIfAborted()
  writeManifest(target.dir, manifest)
  return { manifest, damaged: pass.damaged, copied: total.files, copiedBytes: total.bytes }
}

async function requireSha256(path: string, signal: AbortSignal): Promise<string> {
  const found = await sha256OfFile(path, signal)
  if (found === undefined) throw new CommandError(`${path} disappeared while it was written`)
  return found
}

interface Writing {
  readonly request: BackupRequest
  readonly collecting: Collecting
  readonly place: string
  readonly sums: SumsWriter
}

/** Copies the database in a state all of whose files are in the backup. */
async function copyState(database: SqliteFile, { request, collecting, place, sums }: Writing): Promise<Pass> {
  for (let states = 0; states < statesMax; states++) {
    await sums.restart()
    database.pin()
    try {
      const pass = await collectFiles(database, collecting, (path, sha256) => sums.add(path, sha256))
      if (pass.vanished > 0) continue
      await copyDatabase(database, join(place, databaseName), request)
      await writeFile(join(place, configName), request.config, { mode: 0o600, flush: true })
      return pass
    } finally {
      database.unpin()
    }
  }
  throw new CommandError(
    `files were removed from the cache during each of ${statesMax} attempts; run svc backup again at a quieter time: it continues`,
  )
}

async function copyDatabase(database: SqliteFile, path: string, { sources, isAll, signal, onProgress }: BackupRequest): Promise<void> {
  await database.copyTo(path, { signal, onProgress: (share) => onProgress(`database: ${Math.round(share * 100)}%`) })
  await changeSqliteCopy(path, async (tx) => {
    for (const { files } of sources) for (const statement of files.leaveOut(isAll)) await tx.run(statement)
  })
  await syncFolders([path])
}

async function countElsewhere(sources: readonly FileSource[], read: SqliteFile) {
  const counts = await Promise.all(sources.map(({ files }) => files.elsewhere(read)))
  return counts.reduce((sum, { contents, bytes }) => ({ contents: sum.contents + contents, bytes: sum.bytes + bytes }), {
    contents: 0,
    bytes: 0,
  })
}
