import type { Clock, Database, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import type { AttachedContent } from '../catalog/content-store.ts'
import { findVersion } from '../catalog/version-store.ts'
import type { Buckets, Objects, ObjectVersion, OpenedObject } from '../contract.ts'
import { deleteObject } from './delete-object.ts'
import { listObjects } from './list-objects.ts'
import { openObject } from './open-object.ts'
import { putObject } from './put-object.ts'
import { pieceSizes, type SizeLimits } from './size-policy.ts'

/** What the object operations work with. */
export interface ObjectParts {
  readonly database: Database
  readonly buckets: Buckets
  readonly cache: Cache
  readonly clock: Clock
  readonly sizes: SizeLimits
  /**
   * Called in the committing transaction: decides whether the content is to be stored. It is `new`, its target was `raised`, bytes that
   * were lost are `found` again, copies were due before (`unstored`), or all is there (`known`).
   */
  readonly onNewContent?: ((tx: Tx, content: AttachedContent) => void) | undefined
  /** Opens bytes that are not in the cache. Throws `content_unavailable` when no provider gives them. */
  readonly readRemote?: ((version: ObjectVersion, contentId: number) => Promise<OpenedObject>) | undefined
  /** Called once for each read of bytes that exist, with where they have to come from. */
  readonly onRead?: ((from: OpenedObject['source']) => void) | undefined
}

/** Objects over the given parts. `sizes` are those of one piece unless configured. */
export function createObjects({
  sizes = pieceSizes,
  ...others
}: Omit<ObjectParts, 'sizes'> & Partial<Pick<ObjectParts, 'sizes'>>): Objects {
  const parts: ObjectParts = { sizes, ...others }
  const { buckets, database } = parts
  return {
    sizeBytesMin: sizes.bytesMin,
    sizeBytesMax: sizes.bytesMax,
    put: (request) => putObject(parts, request),
    find: (bucket, key, versionId) => findVersion(database.read, buckets.require(bucket).id, key, versionId),
    open: (bucket, key, versionId) => openObject(parts, { bucket, key, versionId }),
    delete: (bucket, key, condition) => deleteObject(parts, { bucket, key, condition }),
    list: ({ bucket, ...request }) => listObjects(database.read, buckets.require(bucket).id, request),
  }
}
