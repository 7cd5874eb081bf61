import { newUlid } from '#kernel'
import { type Condition, putDeleteMarker } from '../catalog/version-store.ts'
import type { ObjectVersion } from '../contract.ts'
import type { ObjectParts } from './objects.ts'
import { requireKey } from './put-object.ts'

/** Puts a delete marker on top of a key. No bytes are removed. */
export async function deleteObject(
  { buckets, clock, database }: ObjectParts,
  target: { readonly bucket: string; readonly key: string; readonly condition: Condition | undefined },
): Promise<ObjectVersion> {
  const bucket = buckets.require(target.bucket)
  const { key, condition } = target
  requireKey(key)
  const nowMs = clock.now()
  return database.write((tx) => putDeleteMarker(tx, { bucket, key, versionId: newUlid(nowMs), nowMs, condition }))
}
