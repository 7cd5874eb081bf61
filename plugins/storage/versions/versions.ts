import type { Clock, Database, Log, TaskQueue, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import type { AttachedContent } from '../catalog/content-store.ts'
import type { Buckets, ObjectVersion, OpenedObject, Versions } from '../contract.ts'
import { deleteObjectPermanently, deletePermanently, deleteVersion } from './delete-version.ts'
import { listDependent } from './list-dependent.ts'
import { listDeleted, listHistory, listMarkers } from './list-history.ts'
import { listVersions } from './list-versions.ts'
import { restoreDeleted } from './restore-deleted.ts'
import { restoreVersion } from './restore-version.ts'

/** What the operations on versions work with. */
export interface VersionParts {
  readonly database: Database
  readonly buckets: Buckets
  readonly cache: Cache
  readonly clock: Clock
  readonly log: Log
  readonly queue: Pick<TaskQueue, 'isOpen'>
  /** Puts the removal of the data set's released pieces on record. Returns the task's id. */
  readonly scheduleCleanup: (tx: Tx, dataSetId: number) => number
  /** Called in the committing transaction when copies become due. */
  readonly onNewContent: (tx: Tx, content: AttachedContent) => void
  /** Opens bytes that are not in the cache. */
  readonly readRemote: (version: ObjectVersion, contentId: number) => Promise<OpenedObject>
}

export function createVersions(parts: VersionParts): Versions {
  const { buckets, database } = parts
  const bucketId = (name: string) => buckets.require(name).id
  return {
    ofKey: ({ bucket, ...request }) => listHistory(database.read, bucketId(bucket), request),
    list: ({ bucket, ...request }) => listVersions(database.read, bucketId(bucket), request),
    deletedObjects: ({ bucket, ...request }) => listDeleted(database.read, bucketId(bucket), request),
    deleteMarkers: ({ bucket, ...request }) => listMarkers(database.read, bucketId(bucket), request),
    onDataSets: ({ bucket, ...request }) => listDependent(database.read, bucketId(bucket), request),
    restoreDeleted: (request) => restoreDeleted(parts, request),
    restore: (request) => restoreVersion(parts, request),
    delete: (request) => deleteVersion(parts, request),
    deletePermanently: (request) => deletePermanently(parts, request),
    deleteObjectPermanently: (request) => deleteObjectPermanently(parts, request),
  }
}
