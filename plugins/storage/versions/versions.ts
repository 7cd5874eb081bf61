import type { Clock, Database, Log, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import type { OpenUncached } from '../contents/byte-sources.ts'
import type { Keepers } from '../contents/keepers.ts'
import type { BucketRef, Buckets, Versions } from '../contract.ts'
import { type Announcer, announced } from '../events/announced.ts'
import { deleteMany } from './delete-many.ts'
import { deleteObjectPermanently, deletePermanently, deleteVersion } from './delete-version.ts'
import { listDeleted, listHistory, listMarkers, rangeOf } from './list-history.ts'
import { listVersions } from './list-versions.ts'
import { restoreDeleted } from './restore-deleted.ts'
import { restoreVersion } from './restore-version.ts'
import { setTags } from './set-tags.ts'

export interface VersionDeps extends Announcer {
  readonly database: Database
  readonly buckets: Buckets
  readonly cache: Cache
  readonly clock: Clock
  readonly log: Log
  readonly keepers: Pick<Keepers, 'needed' | 'busyReason' | 'givenUp'>
  /** Opens bytes that are not in the cache. */
  readonly openUncached: OpenUncached
  /** Called inside the transaction that copied a version. */
  readonly onCopied?: (tx: Tx, fromVersionId: string, toVersionId: string) => Promise<void>
}

export function createVersions(deps: VersionDeps): Versions {
  const { buckets, database } = deps
  const bucketId = (bucket: BucketRef) => buckets.require(bucket).id
  return {
    ofKey: ({ bucket, ...request }) => database.snapshot((read) => listHistory(read, bucketId(bucket), request)),
    list: ({ bucket, ...request }) => listVersions(database.read, bucketId(bucket), request),
    deletedObjects: ({ bucket, ...request }) => listDeleted(database.read, bucketId(bucket), request),
    deleteMarkers: ({ bucket, ...request }) => listMarkers(database.read, bucketId(bucket), request),
    rangeOf: (request) => rangeOf(database.read, request),
    restoreDeleted: (request) => announced(deps, request.bucket, restoreDeleted(deps, request)),
    restore: (request) => announced(deps, request.bucket, restoreVersion(deps, request)),
    setTags: (request) => setTags(deps, request),
    delete: (request) => announced(deps, request.bucket, deleteVersion(deps, request)),
    deleteMany: (request) => announced(deps, request.bucket, deleteMany(deps, request)),
    deletePermanently: (request) => announced(deps, request.bucket, deletePermanently(deps, request)),
    deleteObjectPermanently: (request) => announced(deps, request.bucket, deleteObjectPermanently(deps, request)),
  }
}
