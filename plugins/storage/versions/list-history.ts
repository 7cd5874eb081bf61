import type { Reader } from '#kernel'
import { findRseq, listDeletedRows, listKeyRows, listMarkerRows, noBound, rseqMin } from '../catalog/versions/history-store.ts'
import { compareKeys, justAfter, successorOf } from '../catalog/versions/key-order-policy.ts'
import { StoredVersion } from '../catalog/versions/stored-version.ts'
import { findVersion, versionsPerMs } from '../catalog/versions/version-store.ts'
import type { KeyHistory, VersionRange, Versions } from '../contract.ts'
import { versionTimeMs } from './version-marker-policy.ts'

type Request<M extends keyof Versions> = Omit<Parameters<Versions[M]>[0], 'bucket'>

/** One page of a key's versions, newest first. */
export async function listHistory(read: Reader, bucketId: number, { key, after, limit }: Request<'ofKey'>): Promise<KeyHistory> {
  const current = await findVersion(read, bucketId, key)
  const rows = await listKeyRows(read, bucketId, { key, rseq: await rseqAfter(read, { bucketId, key }, after) }, limit + 1)
  return {
    versions: rows.slice(0, limit).map((row) => new StoredVersion(row, row.versionId === current?.versionId)),
    isTruncated: rows.length > limit,
    ...(current && { currentVersionId: current.versionId }),
  }
}

/** The rseq of the marker `versionId`. For a deleted version the rseq is estimated from its time, so that no version is skipped. */
export async function rseqAfter(
  read: Reader,
  key: { readonly bucketId: number; readonly key: string },
  versionId: string | undefined,
): Promise<number> {
  if (versionId === undefined) return rseqMin
  const rseq = await findRseq(read, key, versionId)
  if (rseq !== undefined) return rseq
  const timeMs = versionTimeMs(versionId)
  return timeMs === undefined ? Number.MAX_SAFE_INTEGER : -(timeMs + 1) * versionsPerMs
}

export async function listDeleted(
  read: Reader,
  bucketId: number,
  request: Request<'deletedObjects'>,
): ReturnType<Versions['deletedObjects']> {
  const { prefix = '', after, limit } = request
  const low = after === undefined || compareKeys(after, prefix) < 0 ? prefix : justAfter(after)
  const rows = await listDeletedRows(read, { bucketId, low, high: successorOf(prefix) }, limit + 1)
  return { objects: rows.slice(0, limit), isTruncated: rows.length > limit }
}

/** Above every version id. */
const newest = '~'

export async function listMarkers(
  read: Reader,
  bucketId: number,
  request: Request<'deleteMarkers'>,
): ReturnType<Versions['deleteMarkers']> {
  const { prefix = '', key, after = newest, limit } = request
  const rows = await listMarkerRows(read, { bucketId, key, low: prefix, high: successorOf(prefix) }, after, limit + 1)
  return { markers: rows.slice(0, limit), isTruncated: rows.length > limit }
}

export async function rangeOf(
  read: Reader,
  { bucketId, prefix = '', key, after }: Parameters<Versions['rangeOf']>[0],
): Promise<VersionRange> {
  const low = key ?? prefix
  return {
    after:
      after && compareKeys(after.key, low) >= 0
        ? { key: after.key, rseq: await rseqAfter(read, { bucketId, key: after.key }, after.versionId) }
        : { key: low, rseq: rseqMin },
    high: key === undefined ? (successorOf(prefix) ?? noBound) : justAfter(key),
  }
}
