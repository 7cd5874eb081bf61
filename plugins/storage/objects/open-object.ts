import { type LocatedVersion, locateVersion } from '../catalog/version-store.ts'
import type { ObjectVersion, OpenedObject } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import type { ObjectParts } from './objects.ts'

const retryAfterSeconds = 10

interface Wanted {
  readonly bucket: string
  readonly key: string
  readonly versionId: string | undefined
}

/** Opens the bytes of a version: from the cache, else from a provider. */
export async function openObject(parts: ObjectParts, wanted: Wanted): Promise<OpenedObject> {
  const bucketId = parts.buckets.require(wanted.bucket).id
  const first = locate(parts, bucketId, wanted)
  const opened = await openCached(parts, first)
  if (opened) return opened
  // An eviction, or a new put of the same bytes, may have moved them between the look-up and the open: look once more.
  const second = first.blob ? locate(parts, bucketId, wanted) : first
  const reopened = first.blob ? await openCached(parts, second, { isLast: true }) : undefined
  return reopened ?? openRemote(parts, second.version)
}

type Located = LocatedVersion & { readonly version: ObjectVersion & { readonly contentId: number } }

function locate({ database }: ObjectParts, bucketId: number, { bucket, key, versionId }: Wanted): Located {
  const located = locateVersion(database.read, bucketId, key, versionId)
  if (!located) throw notFound(bucket, key, versionId)
  if (located.version.contentId !== null) return located as Located
  if (versionId === undefined) throw notFound(bucket, key, undefined)
  throw storageErrors.is_delete_marker({ message: `version '${versionId}' of '${key}' in '${bucket}' is a delete marker` })
}

function notFound(bucket: string, key: string, versionId: string | undefined): Error {
  if (versionId === undefined) return storageErrors.object_not_found({ message: `there is no object '${key}' in bucket '${bucket}'` })
  return storageErrors.version_not_found({ message: `there is no version '${versionId}' of '${key}' in bucket '${bucket}'` })
}

async function openCached(
  { cache, onRead }: ObjectParts,
  { version, blob, accessedAtMs }: Located,
  { isLast = false } = {},
): Promise<OpenedObject | undefined> {
  if (!blob) return undefined
  const opened = await cache.open(blob)
  if (opened.is === 'open') {
    onRead?.('cache')
    cache.touch(version.contentId, accessedAtMs)
    const { blob: file } = opened
    return { version, source: 'cache', read: (range) => file.read(range), [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() }
  }
  // A damaged file stays damaged; a missing one may have been moved on purpose, so its row gets a second look first.
  if (opened.is === 'damaged' || isLast) await cache.forget(version.contentId, blob)
  return undefined
}

async function openRemote({ readRemote, onRead }: ObjectParts, version: Located['version']): Promise<OpenedObject> {
  onRead?.('provider')
  if (readRemote) return readRemote(version, version.contentId)
  throw storageErrors.content_unavailable({
    message: `the bytes of '${version.key}' are not in the cache, and no provider can give them now`,
    retryAfterSeconds,
  })
}
