import { versionNotFound } from '../catalog/versions/key-change-store.ts'
import { writeTags } from '../catalog/versions/tags-store.ts'
import type { Versions } from '../contract.ts'
import type { KeyDeps } from './restore-deleted.ts'

/** Replaces the tags of a version: no new version is made. */
export async function setTags({ buckets, database }: KeyDeps, request: Parameters<Versions['setTags']>[0]): Promise<void> {
  const { key, versionId, tags } = request
  const bucket = buckets.require(request.bucket)
  await database.write(async (tx) => {
    if (!(await writeTags(tx, { bucketId: bucket.id, key, versionId, tags }))) throw versionNotFound({ bucket, key }, versionId)
  })
}
