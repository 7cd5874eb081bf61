/** Copies of an SQLite database from before its migrations, beside it. They are kept until an operator removes them. */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { constants, copyFile, statfs } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { databasePath, isPostgres } from '../config/database-path.ts'
import { formatTime } from '../core/clock.ts'
import { giveToOwner } from '../process/private-mode.ts'
import type { PreparedKernel } from './prepare.ts'
import { changeSqliteCopy, emptySqliteLog, openSqliteFile, readMigrations } from './sqlite-copies.ts'

/** The copy of an upgrade that has not ended, of which some migrations may be applied. */
const unfinishedEnd = '.before-upgrade'
const partialEnd = '.before-upgrade.partial'
/** Left free for the migrations, beside the copy. */
const spareBytes = 16 * 1024 * 1024

export interface UpgradeCopy {
  readonly path: string
  readonly bytes: number
  /** RFC 3339. */
  readonly madeAt: string
}

export interface CopiedUpgrade extends UpgradeCopy {
  /** The svc that can read the copy; undefined when it is not recorded. */
  readonly readableBy: string | undefined
  /** Call after the migrations: the next upgrade makes another copy. Returns the final path. */
  finish(): string
}

/** Path of the SQLite database; undefined for PostgreSQL. */
const fileOf = ({ dsn }: Pick<PreparedKernel, 'dsn'>): string | undefined => (isPostgres(dsn) ? undefined : resolve(databasePath(dsn)))

/** Oldest first. */
export function listUpgradeCopies(prepared: Pick<PreparedKernel, 'dsn'>): readonly UpgradeCopy[] {
  const file = fileOf(prepared)
  if (file === undefined || !existsSync(dirname(file))) return []
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}${unfinishedEnd}`))
  return names.map((name) => describe(join(dirname(file), name))).sort((a, b) => a.madeAt.localeCompare(b.madeAt))
}

function describe(path: string): UpgradeCopy {
  const { size, mtimeMs } = statSync(path)
  return { path, bytes: size, madeAt: formatTime(mtimeMs) }
}

/**
 * Copies an SQLite database that has pending migrations. Call it with the data locked and before the database is opened. Returns nothing
 * when nothing is pending, for a new database, and for PostgreSQL. Throws when there is too little room.
 * A repeated start of an upgrade that failed keeps the copy of the first.
 */
export async function copyBeforeUpgrade(prepared: PreparedKernel): Promise<CopiedUpgrade | undefined> {
  const file = fileOf(prepared)
  if (file === undefined || !existsSync(file)) return undefined
  const unfinished = `${file}${unfinishedEnd}`
  const { applied, pending, unknown, readableBy, bytes } = await readState(prepared, file)
  if (unknown.length > 0 || applied.length === 0) return undefined
  if (pending.length === 0) {
    // A stop came between the last migration and this name.
    if (existsSync(unfinished)) finish(unfinished)
    return undefined
  }
  const before = existsSync(unfinished) ? await readState(prepared, unfinished) : undefined
  const isContinued = before !== undefined && before.applied.length < applied.length
  if (!isContinued) {
    await requireRoom(file, bytes)
    await makeCopy(file, `${file}${partialEnd}`, unfinished)
  }
  return { ...describe(unfinished), readableBy: isContinued ? undefined : readableBy, finish: () => finish(unfinished) }
}

async function readState(prepared: PreparedKernel, path: string) {
  using database = await openSqliteFile(path)
  return { ...(await readMigrations(prepared, database)), bytes: database.bytes }
}

async function makeCopy(file: string, partial: string, path: string): Promise<void> {
  rmSync(partial, { force: true })
  try {
    closeSync(openSync(partial, 'wx', 0o600))
    giveToOwner(partial)
    if (!(await copyFileOf(file, partial))) await copyPages(file, partial)
    await changeSqliteCopy(partial, async () => {})
    syncPath(partial)
    rename(partial, path)
  } catch (cause) {
    rmSync(partial, { force: true })
    throw new Error(`the database could not be copied to ${path} before its migration: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Copies the file, which takes a fifth of the time of SQLite's copy of the pages, and none on file systems that share blocks. The data is
 * locked, so no svc writes it. False: what is committed may not all be in the file, because another process has the database open.
 * No connection of this process is open: the copy would free its locks.
 */
async function copyFileOf(file: string, to: string): Promise<boolean> {
  if (!(await emptySqliteLog(file))) return false
  const before = statSync(file)
  await copyFile(file, to, constants.COPYFILE_FICLONE)
  const after = statSync(file)
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  return after.mtimeMs === before.mtimeMs && after.size === before.size && (log?.size ?? 0) === 0
}

async function copyPages(file: string, to: string): Promise<void> {
  using database = await openSqliteFile(file)
  database.pin()
  await database.copyTo(to)
  database.unpin()
}

async function requireRoom(file: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file))
  const free = bavail * bsize
  if (free >= bytes + spareBytes) return
  const mib = (count: number) => `${Math.ceil(count / 1024 ** 2)} MiB`
  throw new Error(
    `the database ${file} must be migrated, and ${mib(bytes + spareBytes)} are needed beside it for a copy of it, of which ${mib(free)} are free. ` +
      'Free room there; svc migrate --forget-backup removes copies of earlier upgrades; svc migrate migrates without a copy',
  )
}

function finish(unfinished: string): string {
  const stamp = statSync(unfinished).mtime.toISOString().replaceAll(/[-:.]/g, '')
  const path = `${unfinished}-${stamp}`
  rename(unfinished, path)
  return path
}

function rename(from: string, to: string): void {
  renameSync(from, to)
  syncPath(dirname(to))
}

function syncPath(path: string): void {
  const opened = openSync(path, 'r')
  fsyncSync(opened)
  closeSync(opened)
}

/** Removes all copies. */
export function forgetUpgradeCopies(prepared: Pick<PreparedKernel, 'dsn'>): readonly UpgradeCopy[] {
  const copies = listUpgradeCopies(prepared)
  for (const { path } of copies) rmSync(path)
  return copies
}

/** How to return to the svc from before an upgrade. */
export function describeWayBack(file: string, copy: string, readableBy: string | undefined): string {
  return (
    `to go back, stop svc, install ${readableBy === undefined ? 'the earlier svc' : `svc ${readableBy}`}, then run: ` +
    `rm -f '${file}' '${file}-wal' '${file}-shm' && cp -p '${copy}' '${file}' ; what was stored since the upgrade is not in the copy`
  )
}
