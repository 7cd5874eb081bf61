import { type Clock, type Database, newUlid } from '#kernel'
import { type Condition, putDeleteMarker } from '../catalog/versions/version-store.ts'
import type { BucketRef, Buckets, ObjectVersion } from '../contract.ts'
import { requireKey } from './put-object.ts'

export interface DeleteDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'require'>
  readonly clock: Clock
}

/** Makes a delete marker the current version of a key. Bytes of older versions stay. */
export async function deleteObject(
  { buckets, clock, database }: DeleteDeps,
  target: { readonly bucket: BucketRef; readonly key: string; readonly condition: Condition | undefined },
): Promise<ObjectVersion> {
  const bucket = buckets.require(target.bucket)
  const { key, condition } = target
  requireKey(key)
  const nowMs = clock.now()
  return database.write((tx) => putDeleteMarker(tx, { bucket, key, versionId: newUlid(nowMs), nowMs, condition }))
}
