import type { Clock, Database, Log, Tx } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import { entryReads, keyReads, readContentTypes, versionedKeyReads } from '../catalog/versions/list-store.ts'
import { NewestVersions } from '../catalog/versions/newest-versions.ts'
import { findVersion } from '../catalog/versions/version-store.ts'
import type { OpenUncached } from '../contents/byte-sources.ts'
import type { Keepers } from '../contents/keepers.ts'
import { type Buckets, type NeededContent, type Objects, type OpenedObject, objectSizes, type SizeLimits } from '../contract.ts'
import { type Announcer, announced } from '../events/announced.ts'
import { copyObject } from './copy-object.ts'
import { deleteObject } from './delete-object.ts'
import { listObjects } from './list-objects.ts'
import { openObject } from './open-object.ts'
import { putObject } from './put-object.ts'
import { pieceSizes } from './size-policy.ts'

export interface ObjectDeps extends Announcer {
  readonly database: Database
  readonly buckets: Buckets
  readonly cache: Cache
  readonly clock: Clock
  readonly log: Log
  readonly keepers: Pick<Keepers, 'givenUp' | 'lastMovedMs'>
  readonly sizes: () => SizeLimits
  readonly parts: PartLimits
  /** Called in the committing transaction after every put. */
  readonly onNewContent?: ((tx: Tx, content: NeededContent) => Promise<void>) | undefined
  /** Opens bytes that are not in the cache. */
  readonly openUncached: OpenUncached
  /** Called once per opened object with the source of its bytes. */
  readonly onRead?: ((from: OpenedObject['source']) => void) | undefined
}

export interface PartLimits {
  /** Objects above this are split into contents of at most this size. */
  readonly bytesMax: number
  /** How long a put waits for room in the cache after its first part while no bytes move to copies, how long in any case, and how often it looks. */
  readonly roomWaitMs: number
  readonly roomWaitMsMax: number
  readonly roomPollMs: number
}

const minuteMs = 60_000

/** A part is a piece. The largest one takes up to 4.5 h at the slowest provider that is accepted. */
export const pieceParts: PartLimits = {
  bytesMax: objectSizes.bytesMax,
  roomWaitMs: 15 * minuteMs,
  roomWaitMsMax: 6 * 60 * minuteMs,
  roomPollMs: 1000,
}

type ObjectOptions = Omit<ObjectDeps, 'sizes' | 'parts'> & Partial<Pick<ObjectDeps, 'sizes' | 'parts'>>

/** `sizes` defaults to the limits of one piece, `parts` to whole pieces. */
export function createObjects({ sizes = () => pieceSizes, parts = pieceParts, ...others }: ObjectOptions): Objects {
  const deps: ObjectDeps = { sizes, parts, ...others }
  const { buckets, database } = deps
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
