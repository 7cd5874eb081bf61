import type { BucketRef, Versions } from '../contract.ts'
import { type Announcer, announced } from '../events/announced.ts'
import { deleteMany } from './delete-many.ts'
import { type DeleteDeps, deleteObjectPermanently, deletePermanently, deleteVersion } from './delete-version.ts'
import { listDeleted, listHistory, listMarkers, rangeOf } from './list-history.ts'
import { listVersions } from './list-versions.ts'
import { restoreDeleted } from './restore-deleted.ts'
import { type RestoreDeps, restoreVersion } from './restore-version.ts'
import { setTags } from './set-tags.ts'

type VersionDeps = DeleteDeps & RestoreDeps & Announcer

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
