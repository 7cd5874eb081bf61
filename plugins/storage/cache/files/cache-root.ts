import { constants, fstatSync } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Clock, type Database, type Log, newUlid, type Reader, singleFlight } from '#kernel'
import { openEpoch, recordedCacheId, recordedFiles } from '../../catalog/cached/cache-epoch-store.ts'
import { storageErrors } from '../../errors.ts'
import { blobsPath, startPath } from './cache-paths.ts'
import { type Disk, isMissing } from './disk.ts'
import { identityPath, readIdentity, writeIdentity } from './identity.ts'
import { judgeIdentity } from './identity-policy.ts'
import { syncOnce } from './synced-folder.ts'

interface CacheRootDeps {
  readonly dir: string
  readonly disk: Disk
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
}

/** The folder of this start. While it is held open, no other folder has its device and inode. */
export interface StartFolder {
  readonly descriptor: number
  readonly place: string
}

const retryAfterSeconds = 10

/**
 * I-38: the folder of the cache is known by its identity file, whose content the database records, not by its path. When its disk is not
 * mounted, or another one is, nothing is written at its path, and a missing file says nothing about the file.
 * A start makes its own folder once, after the identity was compared: files are made only in this one, whose name no other start has.
 */
export class CacheRoot {
  readonly dir: string
  readonly epoch: number
  readonly #id: string
  readonly #disk: Disk
  readonly #log: Log
  #start: StartFolder
  #isLost = false
  readonly #identifyAgain = singleFlight(() => this.#identify())

  /** Throws when the folder is not the cache of this database. Makes the folder and its identity when the database has no cached files. */
  static async open(deps: CacheRootDeps): Promise<CacheRoot> {
    const { disk, database, clock } = deps
    const dir = resolve(deps.dir)
    try {
      const id = await identityOf(dir, database.read)
      const epoch = await database.write((tx) => openEpoch(tx, clock.now(), id))
      const path = startPath(dir, epoch)
      for (const folder of [blobsPath(dir), path]) await disk.makeFolder(folder)
      // The names of all new folders must survive a crash too.
      for (const folder of [blobsPath(dir), dir, dirname(dir)]) await syncOnce(disk, folder)
      const root = new CacheRoot({ ...deps, dir }, { id, epoch, start: await hold(disk, path) })
      // The disk may have gone before the folder was made.
      const found = await readIdentity(dir)
      if (found !== id) throw notTheCache(dir, found)
      return root
    } catch (error) {
      throw explain(dir, error)
    }
  }

  private constructor(
    { dir, disk, log }: CacheRootDeps,
    { id, epoch, start }: { readonly id: string; readonly epoch: number; readonly start: StartFolder },
  ) {
    this.dir = dir
    this.epoch = epoch
    this.#id = id
    this.#disk = disk
    this.#log = log
    this.#start = start
  }

  get startPath(): string {
    return startPath(this.dir, this.epoch)
  }

  /** Time at which this start began, by the clock of the file system. */
  get startMs(): number {
    return fstatSync(this.#start.descriptor).mtimeMs
  }

  /** Folder as last seen. Another one after the disk was mounted on another device. */
  get start(): StartFolder {
    return this.#start
  }

  /** Whether the last look found another folder. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** What is wrong with the folder at the path; undefined when it is the cache. */
  async problem(): Promise<string | undefined> {
    const problem = (await placeAt(this.startPath)) === this.#start.place ? undefined : await this.#identifyAgain()
    if ((problem !== undefined) !== this.#isLost) this.#note(problem)
    return problem
  }

  async isPresent(): Promise<boolean> {
    return (await this.problem()) === undefined
  }

  /** Throws `cache_unavailable` unless the folder at the path is the cache. */
  async require(): Promise<StartFolder> {
    const problem = await this.problem()
    if (problem === undefined) return this.#start
    throw storageErrors.cache_unavailable({ message: `the folder of cache.dir is not available: ${problem}`, retryAfterSeconds })
  }

  /** Finds what `problem` does, and also when the folder cannot be written. */
  async writeProblem(): Promise<string | undefined> {
    const problem = await this.problem()
    if (problem !== undefined) return problem
    try {
      await access(this.startPath, constants.W_OK | constants.X_OK)
      return undefined
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'EROFS' ? 'mounted read-only' : `not writable (${code})`
    }
  }

  close(): Promise<void> {
    return this.#disk.close(this.#start.descriptor)
  }

  /** After a mount, the same folder may be on another device. */
  async #identify(): Promise<string | undefined> {
    const found = await readIdentity(this.dir).catch((error: NodeJS.ErrnoException) => error)
    if (typeof found !== 'string') return (await placeAt(this.dir)) === undefined ? 'directory not found' : notMounted
    if (found !== this.#id) return notMounted
    const start = await hold(this.#disk, this.startPath).catch((error: NodeJS.ErrnoException) => error)
    if (start instanceof Error) return 'the folder of this start is missing; restart svc'
    const former = this.#start
    this.#start = start
    // Closing may fail on a device that is gone.
    await Promise.allSettled([this.#disk.close(former.descriptor)])
    return undefined
  }

  #note(problem: string | undefined): void {
    this.#isLost = problem !== undefined
    if (problem === undefined) this.#log.info('the folder of the cache is back', { dir: this.dir })
    else this.#log.error('the folder of the cache is gone; writes are refused until its disk is mounted again', { dir: this.dir, problem })
  }
}

const notMounted = 'its disk is not mounted'

async function identityOf(dir: string, read: Reader): Promise<string> {
  const recorded = await recordedCacheId(read)
  const found = await readIdentity(dir)
  if (found !== undefined && found !== '' && found === recorded) return found
  const decision = judgeIdentity({ recorded, found, files: await countFiles(dir, read) })
  if (decision === 'refuse') throw notTheCache(dir, found)
  if (decision === 'use' && found !== undefined) return found
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const id = newUlid(Date.now())
  await writeIdentity(dir, id)
  return id
}

async function countFiles(dir: string, read: Reader): Promise<{ readonly all: number; readonly here: number }> {
  let [all, here] = [0, 0]
  for (const { epoch, files } of await recordedFiles(read)) {
    all += files
    if ((await placeAt(startPath(dir, epoch))) !== undefined) here += files
  }
  return { all, here }
}

const placeOf = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string => `${dev}/${ino}`

async function placeAt(path: string): Promise<string | undefined> {
  try {
    return placeOf(await stat(path, { bigint: true }))
  } catch {
    // Whatever the reason, the folder cannot be used.
    return undefined
  }
}

async function hold(disk: Disk, path: string): Promise<StartFolder> {
  const descriptor = await disk.open(path)
  return { descriptor, place: placeOf(fstatSync(descriptor, { bigint: true })) }
}

function notTheCache(dir: string, found: string | undefined): Error {
  const file = identityPath(dir)
  const fault = found === undefined ? `the identity file ${file} is missing` : `${file} is the identity of another cache`
  return new Error(
    `cache.dir ${dir} is not the cache whose files this database records: ${fault}; mount its disk, or if svc was started without it, look for the files below its mount point. Only if the files are lost, make ${file} an empty file to continue without them`,
  )
}

const deniedCodes: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS']

function explain(dir: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (isMissing(error) || !deniedCodes.includes(code)) return error
  const step = code === 'EROFS' ? 'mount its disk for writing' : 'give it to the user that runs svc'
  return new Error(`cache.dir ${dir} cannot be used: ${message}; ${step}`, { cause: error })
}
