import type { Clock, Database, Log, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import type { OpenUncached } from '../contents/byte-sources.ts'
import type { Keepers } from '../contents/keepers.ts'
import type { BucketRef, Buckets, Versions } from '../contract.ts'
import { deleteMany } from './delete-many.ts'
import { deleteObjectPermanently, deletePermanently, deleteVersion } from './delete-version.ts'
import { listDeleted, listHistory, listMarkers, rangeOf } from './list-history.ts'
import { listVersions } from './list-versions.ts'
import { restoreDeleted } from './restore-deleted.ts'
import { restoreVersion } from './restore-version.ts'
import { setTags } from './set-tags.ts'

export interface VersionDeps {
  readonly database: Database
  readonly buckets: Buckets
  readonly cache: Cache
  readonly clock: Clock
  readonly log: Log
  readonly keepers: Pick<Keepers, 'needed' | 'busyReason' | 'givenUp'>
  /** Called after versions of a bucket were deleted or restored durably. */
  readonly onChanged?: (bucket: BucketRef) => void
  /** Opens bytes that are not in the cache. */
  readonly openUncached: OpenUncached
  /** Called inside the transaction that copied a version. */
  readonly onCopied?: (tx: Tx, fromVersionId: string, toVersionId: string) => Promise<void>
}

export function createVersions(deps: VersionDeps): Versions {
  const { buckets, database } = deps
  const bucketId = (bucket: BucketRef) => buckets.require(bucket).id
  /** Undefined: there was nothing to change. */
  async function announced<T>({ bucket }: { readonly bucket: BucketRef }, change: Promise<T>): Promise<T> {
    const result = await change
    if (result !== undefined) deps.onChanged?.(bucket)
    return result
  }
  return {
    ofKey: ({ bucket, ...request }) => database.snapshot((read) => listHistory(read, bucketId(bucket), request)),
    list: ({ bucket, ...request }) => listVersions(database.read, bucketId(bucket), request),
    deletedObjects: ({ bucket, ...request }) => listDeleted(database.read, bucketId(bucket), request),
    deleteMarkers: ({ bucket, ...request }) => listMarkers(database.read, bucketId(bucket), request),
    rangeOf: (request) => rangeOf(database.read, request),
    restoreDeleted: (request) => announced(request, restoreDeleted(deps, request)),
    restore: (request) => announced(request, restoreVersion(deps, request)),
    setTags: (request) => setTags(deps, request),
    delete: (request) => announced(request, deleteVersion(deps, request)),
    deleteMany: (request) => announced(request, deleteMany(deps, request)),
    deletePermanently: (request) => announced(request, deletePermanently(deps, request)),
    deleteObjectPermanently: (request) => announced(request, deleteObjectPermanently(deps, request)),
  }
}
