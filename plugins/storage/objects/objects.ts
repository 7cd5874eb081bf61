import type { Clock, Database, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { readContentTypes } from '../catalog/list-store.ts'
import { findVersion } from '../catalog/version-store.ts'
import type { OpenUncached } from '../contents/byte-sources.ts'
import type { Buckets, NeededContent, Objects, OpenedObject } from '../contract.ts'
import { copyObject } from './copy-object.ts'
import { deleteObject } from './delete-object.ts'
import { listObjects } from './list-objects.ts'
import { openObject } from './open-object.ts'
import { putObject } from './put-object.ts'
import { pieceSizes, type SizeLimits } from './size-policy.ts'

export interface ObjectDeps {
  readonly database: Database
  readonly buckets: Buckets
  readonly cache: Cache
  readonly clock: Clock
  readonly sizes: SizeLimits
  /** Called in the committing transaction after every put. */
  readonly onNewContent?: ((tx: Tx, content: NeededContent) => Promise<void>) | undefined
  /** Opens bytes that are not in the cache. */
  readonly openUncached: OpenUncached
  /** Called once per opened object with the source of its bytes. */
  readonly onRead?: ((from: OpenedObject['source']) => void) | undefined
}

/** `sizes` defaults to the size limits of one piece. */
export function createObjects({ sizes = pieceSizes, ...others }: Omit<ObjectDeps, 'sizes'> & Partial<Pick<ObjectDeps, 'sizes'>>): Objects {
  const deps: ObjectDeps = { sizes, ...others }
  const { buckets, database } = deps
  return {
    sizeBytesMin: sizes.bytesMin,
    sizeBytesMax: sizes.bytesMax,
    put: (request) => putObject(deps, request),
    copy: (request) => copyObject(deps, request),
    find: (bucket, key, versionId) => findVersion(database.read, buckets.require(bucket).id, key, versionId),
    open: (bucket, key, versionId) => openObject(deps, { bucket, key, versionId }),
    delete: (bucket, key, condition) => deleteObject(deps, { bucket, key, condition }),
    list: ({ bucket, ...request }) => listObjects(database.read, buckets.require(bucket).id, request),
    contentTypes: (versionIds) => readContentTypes(database.read, versionIds),
  }
}
