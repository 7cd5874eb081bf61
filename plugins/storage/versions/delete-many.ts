import { newUlid, type Tx } from '#kernel'
import { type BucketKey, findVersionSummary } from '../catalog/versions/key-change-store.ts'
import { newerVersions } from '../catalog/versions/newer-store.ts'
import { findVersion, putDeleteMarker } from '../catalog/versions/version-store.ts'
import { type Bucket, type DeleteItem, type DeleteMany, type DeleteOutcome, deleteManyMax, type NewerVersions } from '../contract.ts'
import { requireKey } from '../objects/put-object.ts'
import { type DeleteDeps, finish, remove } from './delete-version.ts'
import type { Released } from './releases.ts'

export async function deleteMany(deps: DeleteDeps, { bucket: name, items, guard }: DeleteMany): Promise<readonly DeleteOutcome[]> {
  if (items.length > deleteManyMax) throw new RangeError(`${items.length} deletions in one transaction; at most ${deleteManyMax}`)
  const bucket = deps.buckets.require(name)
  for (const { key } of items) requireKey(key)
  const deleteAll = async (tx: Tx) => {
    await guard?.(tx)
    const outcomes: DeleteOutcome[] = []
    const released: Released[] = []
    for (const item of items) outcomes.push(await deleteItem(tx, deps, { bucket, item, onRelease: (more) => void released.push(more) }))
    return { outcomes, released }
  }
  const { outcomes, released } = await deps.database.write(deleteAll, { rows: items.length })
  await finish(deps, {
    isAnyEnded: released.some(({ isAnyEnded }) => isAnyEnded),
    contentIds: released.flatMap(({ contentIds }) => contentIds),
    sharedPackIds: released.flatMap(({ sharedPackIds }) => sharedPackIds),
    cleanupTaskIds: released.flatMap(({ cleanupTaskIds }) => cleanupTaskIds),
  })
  return outcomes
}

const noNewer: NewerVersions = { nextAtMs: undefined, noncurrent: 0 }

interface Deletion {
  readonly bucket: Bucket
  readonly item: DeleteItem
  readonly onRelease: (released: Released) => void
}

async function deleteItem(
  tx: Tx,
  deps: Pick<DeleteDeps, 'keepers' | 'clock'>,
  { bucket, item, onRelease }: Deletion,
): Promise<DeleteOutcome> {
  const { key, versionId, condition, newerMax } = item
  if (condition) {
    const version = await findVersion(tx, bucket.id, key, versionId)
    const newer = version && newerMax !== undefined ? await newerVersions(tx, version, newerMax) : noNewer
    try {
      condition(version, newer)
    } catch (error) {
      return { kind: 'refused', error }
    }
  }
  const place: BucketKey = { bucket, key }
  if (versionId === undefined) {
    const nowMs = deps.clock.now()
    const marker = await putDeleteMarker(tx, { ...place, versionId: newUlid(nowMs), nowMs, condition: undefined })
    return { kind: 'marked', markerVersionId: marker.versionId }
  }
  const version = await findVersionSummary(tx, place, versionId)
  if (!version) return { kind: 'absent' }
  onRelease(await remove(tx, deps, place, version))
  return { kind: 'removed', isDeleteMarker: version.contentId === null }
}
