import { entryReads, keyReads, readContentTypes, versionedKeyReads } from '../catalog/versions/list-store.ts'
import { NewestVersions } from '../catalog/versions/newest-versions.ts'
import { findVersion } from '../catalog/versions/version-store.ts'
import type { Objects } from '../contract.ts'
import { type Announcer, announced } from '../events/announced.ts'
import { type CopyDeps, copyObject } from './copy-object.ts'
import { type DeleteDeps, deleteObject } from './delete-object.ts'
import { listObjects } from './list-objects.ts'
import { openObject } from './open-object.ts'
import { putObject } from './put-object.ts'

type ObjectDeps = CopyDeps & DeleteDeps & Announcer

export function createObjects(deps: ObjectDeps): Objects {
  const { buckets, database, sizes } = deps
  const newest = new NewestVersions(database)
  return {
    get sizeBytesMin() {
      return sizes().bytesMin
    },
    get sizeBytesMax() {
      return sizes().bytesMax
    },
    put: (request) => announced(deps, request.bucket, putObject(deps, request)),
    copy: (request) => announced(deps, request.target.bucket, copyObject(deps, request)),
    find: (bucket, key, versionId) => {
      const { id } = buckets.require(bucket)
      return versionId === undefined ? newest.find(id, key) : findVersion(database.read, id, key, versionId)
    },
    open: (bucket, key, versionId) => openObject(deps, { bucket, key, versionId }, newest),
    delete: (bucket, key, condition) => announced(deps, bucket, deleteObject(deps, { bucket, key, condition })),
    list: ({ bucket, ...request }) => listObjects(database.read, { bucketId: buckets.require(bucket).id, reads: entryReads }, request),
    listKeys: ({ bucket, withVersionIds = false, ...request }) =>
      listObjects(database.read, { bucketId: buckets.require(bucket).id, reads: withVersionIds ? versionedKeyReads : keyReads }, request),
    contentTypes: (versionIds) => readContentTypes(database.read, versionIds),
  }
}
