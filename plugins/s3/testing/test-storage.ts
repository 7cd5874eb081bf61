/** Real storage on a temporary database and temporary files, which counts open objects and fails on demand. */
import { kernelErrors } from '#kernel/system'
import type { Objects, ObjectVersion } from '#plugins/storage'
import { storageErrors } from '../../storage/errors.ts'
import type { ObjectStorageOptions } from '../../storage/testing/object-storage.ts'
import { openVersionStorage, type VersionStorage } from '../../storage/testing/version-storage.ts'

const failures = { ...storageErrors, ...kernelErrors }

export interface TestStorage extends VersionStorage {
  /** Every version of the key, oldest first. */
  versionsOf(bucket: string, key: string): Promise<readonly ObjectVersion[]>
  /** Objects opened and not yet disposed, without those whose bytes were in memory. */
  openCount(): number
  /** Makes every put and open fail; undefined: no failure. */
  failWith(failure: keyof typeof failures | undefined): void
}

/** Default of `storage.database_object_bytes`. */
const databaseBytesMax = 16 * 1024

/** `databaseBytesMax` 0: every object is in files. Default: as in the product. */
export type TestStorageOptions = Pick<ObjectStorageOptions, 'sizes' | 'parts' | 'maxBytes' | 'databaseBytesMax' | 'disk'>

/** Has no bucket at first. */
export async function openTestStorage(options: TestStorageOptions = {}): Promise<TestStorage> {
  const storage = await openVersionStorage({ databaseBytesMax, ...options })
  await storage.buckets.delete('photos')
  let open = 0
  let failure: keyof typeof failures | undefined
  const throwIfFailing = () => {
    if (failure !== undefined) throw failures[failure]()
  }
  const objects: Objects = {
    ...storage.objects,
    async put(request) {
      throwIfFailing()
      return await storage.objects.put(request)
    },
    async open(...place) {
      throwIfFailing()
      const opened = await storage.objects.open(...place)
      // Needs neither a read nor disposal.
      if (opened.bytes) return opened
      open += 1
      return {
        version: opened.version,
        source: opened.source,
        read: (range, options) => opened.read(range, options),
        async [Symbol.asyncDispose]() {
          await opened[Symbol.asyncDispose]()
          open -= 1
        },
      }
    },
  }
  return {
    ...storage,
    objects,
    async versionsOf(bucket, key) {
      const { versions } = await storage.versions.list({ bucket, prefix: key, limit: 1000 })
      return versions.filter((version) => version.key === key).toReversed()
    },
    openCount: () => open,
    failWith(next) {
      failure = next
    },
  }
}
