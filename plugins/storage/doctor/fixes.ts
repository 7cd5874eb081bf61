/** Safe repairs: counts, cached files that providers can replace, files without rows. */
import { lstat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { clock, type Database, database, type Tx } from '#kernel'
import { defineDoctorFix } from '#kernel/system'
import { blobsFolder } from '../cache/blob-folders.ts'
import { isMissing } from '../cache/disk.ts'
import { knownBlobs } from '../catalog/cache-entry-store.ts'
import { cachedContents, contents } from '../contract.ts'
import { cache } from '../services.ts'
import { cacheSection } from '../settings.ts'
import { bytesOf } from '../uploads/put-part.ts'
import { findRecordedFile, knownEpochs } from './cache-files-store.ts'
import { unusableFolders } from './cache-folders.ts'
import { recountBucket, recountCurrent, recountUsage } from './counts-store.ts'
import { fixNames } from './fix-names.ts'
import { byteProblem } from './inspect-file.ts'
import { blobIdOf } from './stray-policy.ts'
import { dropUnusedFile } from './upload-rules-store.ts'

/** Runs the fix in a transaction. Returns false when the target, which comes from a request, is not an id. */
async function fixById(database: Database, target: string, fix: (tx: Tx, id: number) => Promise<boolean>): Promise<boolean> {
  return /^\d{1,15}$/.test(target) && database.write((tx) => fix(tx, Number(target)))
}

export const storageFixes = [
  defineDoctorFix({
    name: fixNames.bucketCounts,
    title: 'Count the objects, versions and bytes of the bucket again',
    uses: { database },
    apply: ({ database }, target) => fixById(database, target, recountBucket),
  }),
  defineDoctorFix({
    name: fixNames.storedUsage,
    title: 'Count again what the buckets of each owner hold',
    uses: { database },
    apply: ({ database }) => database.write(recountUsage),
  }),
  defineDoctorFix({
    name: fixNames.currentCount,
    title: 'Count the current versions of the content again',
    uses: { database },
    apply: ({ database }, target) => fixById(database, target, recountCurrent),
  }),
  defineDoctorFix({
    name: fixNames.recount,
    title: 'Count the copies of the content again, and decide whether its cached bytes may be removed',
    uses: { database, contents, clock },
    apply: ({ database, contents, clock }, target) =>
      fixById(database, target, async (tx, id) => {
        if (!(await contents.find(tx, id))) return false
        await contents.recount(tx, [id], clock.now())
        return true
      }),
  }),
  defineDoctorFix({
    name: fixNames.forgetFile,
    title: 'Remove missing or damaged bytes from the cache; providers have them',
    uses: { database, cachedContents, settings: cacheSection.settings },
    async apply({ database, cachedContents, settings }, target) {
      const [contentId = '', blobId = ''] = target.split('/')
      const file = await findRecordedFile(database.read, blobId)
      if (file?.contentId == null || file.contentId !== Number(contentId) || file.readableCopies === 0) return false
      // Its disk may not be mounted.
      if ((await unusableFolders(resolve(settings.dir), [file])).size > 0) return false
      if ((await byteProblem({ read: database.read, dir: resolve(settings.dir) }, file)) === undefined) return false
      await cachedContents.forget(file.contentId, { blobId })
      return (await findRecordedFile(database.read, blobId)) === undefined
    },
  }),
  defineDoctorFix({
    name: fixNames.dropPartFile,
    title: 'Remove a file of an upload that none of its parts has',
    uses: { database, cache },
    async apply({ database, cache }, target) {
      if (!/^[0-9a-f]{1,64}$/.test(target)) return false
      const dropped = await database.write(async (tx) => {
        const blobs = await dropUnusedFile(tx, target)
        tx.afterCommit(() => cache.release(bytesOf(blobs)))
        return blobs
      })
      await cache.discard(dropped)
      return dropped.length > 0
    },
  }),
  defineDoctorFix({
    name: fixNames.removeStray,
    title: 'Remove a cached file without a row',
    uses: { database, settings: cacheSection.settings },
    async apply({ database, settings }, target) {
      // The target comes from a request: it may name only a file that a finished start wrote.
      const blobId = blobIdOf(target)
      if (blobId === undefined || !(await knownEpochs(database.read)).slice(0, -1).includes(Number(target.split('/')[0]))) return false
      if ((await knownBlobs(database.read, [blobId])).has(blobId)) return false
      const path = join(resolve(settings.dir), blobsFolder, target)
      try {
        const found = await lstat(path)
        if (!found.isFile() && !found.isSymbolicLink()) return false
        await unlink(path)
        return true
      } catch (error) {
        if (isMissing(error)) return false
        throw error
      }
    },
  }),
]
