import { newUlid } from '#kernel'
import { type Condition, putDeleteMarker } from '../catalog/versions/version-store.ts'
import type { BucketRef, ObjectVersion } from '../contract.ts'
import type { ObjectDeps } from './objects.ts'
import { requireKey } from './put-object.ts'

/** Makes a delete marker the current version of a key. Bytes of older versions stay. */
export async function deleteObject(
  { buckets, clock, database }: ObjectDeps,
  target: { readonly bucket: BucketRef; readonly key: string; readonly condition: Condition | undefined },
): Promise<ObjectVersion> {
  const bucket = buckets.require(target.bucket)
  const { key, condition } = target
  requireKey(key)
  const nowMs = clock.now()
  return database.write((tx) => putDeleteMarker(tx, { bucket, key, versionId: newUlid(nowMs), nowMs, condition }))
}
