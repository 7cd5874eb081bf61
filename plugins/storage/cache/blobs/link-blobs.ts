import type { Clock, Database, Probe } from '#kernel'
import { isInDatabase } from '../../catalog/cached/cache-bytes-store.ts'
import {
  allBlockChecksums,
  type BlobRef,
  type ExpectedBlob,
  type FileRef,
  type StagedBlob,
} from '../../catalog/cached/cache-entry-store.ts'
import type { BlobFolders } from '../files/blob-folders.ts'
import { blobPath } from '../files/cache-paths.ts'
import type { Disk } from '../files/disk.ts'
import type { BlobReads } from './blob-reads.ts'
import { linkBlob } from './blob-writer.ts'
import { readDatabaseBlob, stageBytes } from './database-blobs.ts'

interface Linking {
  readonly database: Pick<Database, 'read'>
  readonly clock: Clock
  readonly disk: Disk
  readonly dir: string
  readonly folders: BlobFolders
  readonly reads: Pick<BlobReads, 'check'>
  discard(blobs: readonly BlobRef[]): Promise<void>
}

/** See `Cache.link`. */
export async function linkBlobs(deps: Linking, blobs: readonly ExpectedBlob[], linked: Probe): Promise<readonly StagedBlob[] | undefined> {
  const links: StagedBlob[] = []
  try {
    for (const blob of blobs) {
      const link = isInDatabase(blob) ? await copyBytes(deps, blob) : await linkFile(deps, blob, linked)
      if (link) links.push(link)
      else break
    }
  } catch (error) {
    await deps.discard(links)
    throw error
  }
  if (links.length === blobs.length) return links
  await deps.discard(links)
  return undefined
}

/** See `Cache.linkFile`. */
export async function linkFile(deps: Linking, blob: ExpectedBlob, linked: Probe): Promise<FileRef | undefined> {
  const { database, disk, dir, folders, reads } = deps
  if (isInDatabase(blob)) return undefined
  // Bytes of a file that cannot be read may be at a provider.
  if ((await reads.check(blob)).is !== 'intact') return undefined
  const blockChecksums = await allBlockChecksums(database.read, blob.blobId)
  const link = await linkBlob(disk, folders, { path: blobPath(dir, blob.blobId, blob.epoch), length: blob.length, linked })
  return link && { ...link, blockChecksums }
}

async function copyBytes({ database, clock }: Linking, blob: ExpectedBlob): Promise<StagedBlob | undefined> {
  const bytes = await readDatabaseBlob(database.read, blob)
  return typeof bytes === 'string' ? undefined : stageBytes(bytes, clock.now())
}
