import { basename } from 'node:path'
import type { BackupFiles } from '#kernel/system'
import { blobPath, blobsFolder } from '../cache/files/cache-paths.ts'
import { knownBlobs } from '../catalog/cached/cache-entry-store.ts'
import { recordedFiles } from '../catalog/cached/cache-epoch-store.ts'
import { countUncached, filesToBackUp, leaveOutRows } from './backup-store.ts'

/** Files of the cache. Those of contents that could be evicted are left out unless all are wanted: providers have the bytes. */
export const cacheBackup: BackupFiles = {
  name: 'cache',
  field: 'cache.dir',
  async page(read, page) {
    const rows = await filesToBackUp(read, page)
    return rows.map(({ blobId, epoch, length, sha256, state, bucket, key }) => ({
      id: blobId,
      path: blobPath('', blobId, epoch).slice(1),
      bytes: length,
      sha256,
      meaning: key === null ? `a content of bucket ${bucket}` : `${bucket}/${key}`,
      isIntact: state !== 'damaged',
    }))
  },
  async known(read, paths) {
    const known = await knownBlobs(
      read,
      paths.map((path) => basename(path)),
    )
    return new Set(paths.filter((path) => known.has(basename(path))))
  },
  leaveOut: leaveOutRows,
  elsewhere: countUncached,
  // Empty: the folder is accepted, and gets an identity that no other cache has.
  restored: { 'cache-id': '' },
  folders: async (read) => [blobsFolder, ...(await recordedFiles(read)).map(({ epoch }) => `${blobsFolder}/${epoch}`)],
}
