/** Safe repairs: counts, cached files that providers can replace, files without rows. */
import { lstat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { clock, type Database, database, type Tx } from '#kernel'
import { defineDoctorFix, rowIdTarget } from '#kernel/system'
import { blobsFolder } from '../cache/files/cache-paths.ts'
import { isMissing } from '../cache/files/disk.ts'
import { bytesOf, knownBlobs } from '../catalog/cached/cache-entry-store.ts'
import { keptBlobsOf } from '../catalog/cached/damage-store.ts'
import { contents } from '../contract.ts'
import { cache } from '../services.ts'
import { cacheSection } from '../settings.ts'
import { findRecordedFile, knownEpochs } from './cache-files-store.ts'
import { unusableFolders } from './cache-folders.ts'
import { recountBucket, recountCurrent, recountUsage } from './counts-store.ts'
import { fixNames } from './fix-names.ts'
import { byteProblem } from './inspect-file.ts'
import { blobPlace } from './stray-policy.ts'
import { dropUnusedFile } from './upload-rules-store.ts'

function fixById(database: Database, target: string, fix: (tx: Tx, id: number) => Promise<boolean>): Promise<boolean> {
  return database.write((tx) => fix(tx, Number(target)))
}

const fileTarget = { form: 'the ids of a content and of its blob, as 12/0019a…', pattern: /^[1-9]\d{0,14}\/[0-9a-f]{1,64}$/ }
/** An access key, or words for other owners. All owners are counted again, whichever it is. */
const ownerTarget = { form: 'an owner of buckets', pattern: /^[\w -]{1,128}$/ }
const blobTarget = { form: 'the id of a blob', pattern: /^[0-9a-f]{1,64}$/ }

export const storageFixes = [
  defineDoctorFix({
    name: fixNames.bucketCounts,
    title: 'Count the objects, versions and bytes of the bucket again',
    target: rowIdTarget('bucket'),
    uses: { database },
    apply: ({ database }, target) => fixById(database, target, recountBucket),
  }),
  defineDoctorFix({
    name: fixNames.storedUsage,
    title: 'Count again what the buckets of each owner hold',
    target: ownerTarget,
    uses: { database },
    apply: ({ database }) => database.write(recountUsage),
  }),
  defineDoctorFix({
    name: fixNames.currentCount,
    title: 'Count the current versions of the content again',
    target: rowIdTarget('content'),
    uses: { database },
    apply: ({ database }, target) => fixById(database, target, recountCurrent),
  }),
  defineDoctorFix({
    name: fixNames.recount,
    title: 'Count the copies of the content again, and decide whether its cached bytes may be removed',
    target: rowIdTarget('content'),
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
    target: fileTarget,
    uses: { database, cache, settings: cacheSection.settings },
    async apply({ database, cache, settings }, target) {
      const [contentId = '', blobId = ''] = target.split('/')
      const file = await findRecordedFile(database.read, blobId)
      if (file?.contentId == null || file.contentId !== Number(contentId) || file.readableCopies === 0) return false
      // Its disk may not be mounted.
      const place = { read: database.read, dir: resolve(settings.dir) }
      if ((await unusableFolders(place, [file])).size > 0) return false
      if ((await byteProblem(place, file)) === undefined) return false
      await cache.settle(file.contentId, { blobId }, { isConfirmed: true })
      return (await findRecordedFile(database.read, blobId)) === undefined
    },
  }),
  defineDoctorFix({
    name: fixNames.recheckFile,
    title: 'Verify a damaged cached file again, and serve it when its bytes are right',
    target: fileTarget,
    uses: { database, cache },
    async apply({ database, cache }, target) {
      const [contentId = '', blobId = ''] = target.split('/')
      const blobs = await keptBlobsOf(database.read, Number(contentId))
      if (!blobs.some((blob) => blob.blobId === blobId && blob.damagedAtMs !== null)) return false
      return (await cache.settle(Number(contentId), { blobId })) === 'intact'
    },
  }),
  defineDoctorFix({
    name: fixNames.restoreFile,
    title: 'Verify a file of the quarantine, and bring it back to the cache when its bytes are right',
    target: blobTarget,
    uses: { cache },
    apply: ({ cache }, target) => cache.quarantine.restore(target),
  }),
  defineDoctorFix({
    name: fixNames.dropPartFile,
    title: 'Remove a file of an upload that none of its parts has',
    target: blobTarget,
    uses: { database, cache },
    async apply({ database, cache }, target) {
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
    target: { form: 'the place of a file below the folder of blobs', pattern: blobPlace },
    uses: { database, settings: cacheSection.settings },
    async apply({ database, settings }, target) {
      const blobId = target.slice(target.lastIndexOf('/') + 1)
      // Only a file that a finished start wrote.
      if (!(await knownEpochs(database.read)).slice(0, -1).includes(Number(target.split('/')[0]))) return false
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
