import type { Clock, Database, Log, TaskQueue, Tx } from '#kernel'
import { listDependent } from '../../replication/copies/list-dependent.ts'
import type { Cache } from '../cache/cache.ts'
import type { AttachedContent } from '../catalog/content-store.ts'
import type { Buckets, ObjectVersion, OpenedObject, Versions } from '../contract.ts'
import { deleteObjectPermanently, deletePermanently, deleteVersion } from './delete-version.ts'
import { listDeleted, listHistory, listMarkers } from './list-history.ts'
import { listVersions } from './list-versions.ts'
import { restoreDeleted } from './restore-deleted.ts'
import { restoreVersion } from './restore-version.ts'

export interface VersionDeps {
  readonly database: Database
  readonly buckets: Buckets
  readonly cache: Cache
  readonly clock: Clock
  readonly log: Log
  readonly queue: Pick<TaskQueue, 'isOpen'>
  /** Enqueues the removal of the data set's released pieces. Returns the task's id. */
  readonly scheduleCleanup: (tx: Tx, dataSetId: number) => number
  /** Called in the committing transaction of a restore. */
  readonly onNewContent: (tx: Tx, content: AttachedContent) => void
  /** Opens bytes that are not in the cache. */
  readonly readRemote: (version: ObjectVersion, contentId: number) => Promise<OpenedObject>
}

export function createVersions(deps: VersionDeps): Versions {
  const { buckets, database } = deps
  const bucketId = (name: string) => buckets.require(name).id
  return {
    ofKey: ({ bucket, ...request }) => listHistory(database.read, bucketId(bucket), request),
    list: ({ bucket, ...request }) => listVersions(database.read, bucketId(bucket), request),
    deletedObjects: ({ bucket, ...request }) => listDeleted(database.read, bucketId(bucket), request),
    deleteMarkers: ({ bucket, ...request }) => listMarkers(database.read, bucketId(bucket), request),
    onDataSets: ({ bucket, ...request }) => listDependent(database.read, bucketId(bucket), request),
    restoreDeleted: (request) => restoreDeleted(deps, request),
    restore: (request) => restoreVersion(deps, request),
    delete: (request) => deleteVersion(deps, request),
    deletePermanently: (request) => deletePermanently(deps, request),
    deleteObjectPermanently: (request) => deleteObjectPermanently(deps, request),
  }
}
