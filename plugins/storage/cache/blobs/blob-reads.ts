/** @walk read 3: opens the cached bytes: a file, or the database */
import type { Database, Log } from '#kernel'
import { bytesOfBlob, isInDatabase } from '../../catalog/cached/cache-bytes-store.ts'
import { type BlobRef, blockChecksumsOf, type ExpectedBlob, setBlockChecksums } from '../../catalog/cached/cache-entry-store.ts'
import { blobPath } from '../files/cache-paths.ts'
import type { CacheRoot } from '../files/cache-root.ts'
import { deviceDisk } from '../files/device-disk.ts'
import { UnreadableBlob, unreadableContent } from '../verification/whole-read.ts'
import { type BlobFault, type CheckedBlob, checkBlob, type OpenBlob, openBlob, openHotBlob } from './blob-reader.ts'
import { openDatabaseBlob, readDatabaseBlob } from './database-blobs.ts'
import type { BlobReaderDeps, RecordedChecksums } from './file-read.ts'
import type { HotBytes } from './hot-bytes.ts'
import { RecentIds } from './recent-ids.ts'

/** Where the bytes of a blob are: in its file or in memory. */
type BlobBytes = { readonly path: string; readonly bytes?: undefined } | { readonly bytes: Uint8Array; readonly path?: undefined }

/** Reads cached bytes, of files and of the database. */
export interface BlobReads {
  /** Whether the file or the bytes exist with the recorded length. Does not compare the bytes. True also when the file cannot be opened. */
  hasFile(blob: BlobRef): Promise<boolean>
  /** Reads the whole blob and compares its bytes with the content (I-30). */
  check(blob: ExpectedBlob): Promise<CheckedBlob>
  /**
   * Checks like `check`, with the bytes of the device instead of those of the page cache. An intact file is read from the device for a while, because
   * the page cache may have other bytes. `path`: where the file is now.
   */
  recheck(blob: ExpectedBlob, path?: string): Promise<CheckedBlob>
  /** Changes with every write to the file by a program. Undefined when it cannot be opened, or the bytes are in the database. */
  stampOf(blob: BlobRef): Promise<string | undefined>
  open(blob: ExpectedBlob): Promise<OpenBlob>
  /**
   * Returns nothing when the blob is missing or has another length. Does not compare the bytes.
   * @throws SvcError when it cannot be opened, `cache_unavailable` without the disk
   */
  locate(blob: BlobRef): Promise<BlobBytes | undefined>
  /** Path of the file of a blob that is not in the database. */
  pathOf(blob: BlobRef): string
}

interface BlobReadsDeps extends Omit<BlobReaderDeps, 'checksums'> {
  readonly database: Pick<Database, 'read' | 'write'>
  readonly log: Log
  readonly root: CacheRoot
  readonly hot: HotBytes
}

type PlacedReads = Omit<BlobReads, 'pathOf'>

/** How long a file is read from the device after the page cache had other bytes. */
const suspectMs = 10 * 60_000
const suspectsMax = 10_000

export function createBlobReads(deps: BlobReadsDeps): BlobReads {
  const pathOf = ({ blobId, epoch }: BlobRef) => blobPath(deps.root.dir, blobId, epoch)
  const files = createFileReads(deps, pathOf)
  const inDatabase = createDatabaseReads(deps)
  const readsOf = (blob: BlobRef): PlacedReads => (isInDatabase(blob) ? inDatabase : files)
  return {
    hasFile: (blob) => readsOf(blob).hasFile(blob),
    check: (blob) => readsOf(blob).check(blob),
    recheck: (blob, path) => readsOf(blob).recheck(blob, path),
    stampOf: (blob) => readsOf(blob).stampOf(blob),
    open: (blob) => readsOf(blob).open(blob),
    locate: (blob) => readsOf(blob).locate(blob),
    pathOf,
  }
}

function createDatabaseReads({ database: { read }, hot }: BlobReadsDeps): PlacedReads {
  const locate = async ({ blobId, length }: BlobRef) => {
    const bytes = await bytesOfBlob(read, blobId)
    return bytes?.length === length ? { bytes } : undefined
  }
  const check = async (blob: ExpectedBlob): Promise<CheckedBlob> => {
    const found = await readDatabaseBlob(read, blob)
    return { is: typeof found === 'string' ? found : 'intact' }
  }
  return {
    hasFile: async (blob) => (await locate(blob)) !== undefined,
    check,
    recheck: check,
    stampOf: async () => undefined,
    open: (blob) => openDatabaseBlob({ read, hot }, blob),
    locate,
  }
}

function createFileReads({ hot, database, log, root, ...files }: BlobReadsDeps, pathOf: BlobReads['pathOf']): PlacedReads {
  const checksums: RecordedChecksums = {
    find: (blobId, place) => blockChecksumsOf(database.read, blobId, place),
    async record(blobId, checksums) {
      try {
        await database.write((tx) => setBlockChecksums(tx, blobId, checksums))
      } catch (error) {
        log.warn('checksums of a cached file not recorded; the next read of a part of it verifies the whole file again', {
          blob: blobId,
          error,
        })
      }
    },
  }
  const deps = { ...files, checksums }
  /** I-38: a file is missing only if the disk is there. */
  const look = async <Found extends OpenBlob | CheckedBlob>(lookUp: () => Promise<Found>): Promise<Found | BlobFault> => {
    const found = await lookUp()
    if (found.is !== 'missing') return found
    const problem = await root.problem()
    if (problem === undefined) return lookUp()
    return { is: 'unreadable', error: new UnreadableBlob(`the folder of cache.dir is not available: ${problem}`) }
  }
  // Recent verifications do not count: they may be of the page cache.
  const onDevice: BlobReaderDeps = { disk: deviceDisk(files.disk), transfers: files.transfers, checksums }
  const suspects = new RecentIds(suspectMs, suspectsMax)
  const depsOf = ({ blobId }: BlobRef) => (suspects.has(blobId) ? onDevice : deps)
  const tryOpen = async (blob: BlobRef): Promise<OpenBlob> => {
    const opened = await look(() => openBlob(deps, pathOf(blob), { ...blob, sha256: null }))
    if (opened.is === 'open') await opened.blob[Symbol.asyncDispose]()
    return opened
  }
  return {
    async stampOf(blob) {
      try {
        const descriptor = await files.disk.open(pathOf(blob))
        const { stamp } = files.disk.stat(descriptor)
        await files.disk.close(descriptor)
        return stamp
      } catch {
        // The look at the file reports the error.
        return undefined
      }
    },
    async hasFile(blob) {
      const { is } = await tryOpen(blob)
      return is === 'open' || is === 'unreadable'
    },
    check: (blob) => look(() => checkBlob(depsOf(blob), pathOf(blob), blob)),
    async recheck(blob, path = pathOf(blob)) {
      const checked = await look(() => checkBlob(onDevice, path, blob))
      if (checked.is === 'intact') suspects.add(blob.blobId)
      return checked
    },
    open: (blob) => look(() => openHotBlob({ ...depsOf(blob), hot }, pathOf(blob), blob)),
    async locate(blob) {
      const opened = await tryOpen(blob)
      if (opened.is === 'unreadable') {
        await root.require()
        throw unreadableContent(opened.error)
      }
      return opened.is === 'open' ? { path: pathOf(blob) } : undefined
    },
  }
}
