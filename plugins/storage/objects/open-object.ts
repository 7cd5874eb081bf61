/** @walk read 2: finds the version and a source of its bytes */
import type { Database } from '#kernel'
import { nameOf } from '../catalog/buckets/bucket-ref-policy.ts'
import { type LocatedVersion, locateVersion } from '../catalog/versions/location-store.ts'
import type { NewestVersions } from '../catalog/versions/newest-versions.ts'
import { type BucketRef, type Buckets, contentErrors, type ObjectVersion, type OpenedObject } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { type OpenDeps, openContent } from './open-content.ts'
import { openParts } from './open-parts.ts'

const retryAfterSeconds = 10

interface OpenRequest {
  readonly bucket: BucketRef
  readonly key: string
  readonly versionId?: string | undefined
}

export type OpenObjectDeps = OpenDeps & { readonly buckets: Pick<Buckets, 'require'> }

/** Opens the bytes of a version from the cache or else from a provider. `newest`: looks up the current version. */
export async function openObject(deps: OpenObjectDeps, request: OpenRequest, newest?: NewestVersions): Promise<OpenedObject> {
  const bucketId = deps.buckets.require(request.bucket).id
  const { key, versionId } = request
  const found =
    newest && versionId === undefined ? readable(await newest.locate(bucketId, key), request) : await locate(deps, bucketId, request)
  if (found.version.size === 0) return openEmpty(deps, found.version)
  if (found.partCount === 0) return openContent(deps, found, () => locate(deps, bucketId, request))
  return openParts(deps, found.version)
}

/** Throws `content_unavailable` when a part of a composite has no bytes. */
export function refuseLost({ version: { key }, isLost }: Located): void {
  if (!isLost) return
  throw contentErrors.content_unavailable({
    message: `some bytes of '${key}' are neither in the cache nor at a provider; upload the object again`,
    retryAfterSeconds,
  })
}

/** A version that is not a delete marker. */
export type Located = LocatedVersion & { readonly version: ObjectVersion & { readonly contentId: number } }

export async function locate(
  { database }: { readonly database: Pick<Database, 'read'> },
  bucketId: number,
  request: OpenRequest,
): Promise<Located> {
  return readable(await locateVersion(database.read, bucketId, request.key, request.versionId), request)
}

function readable(located: LocatedVersion | undefined, { bucket, key, versionId }: OpenRequest): Located {
  if (!located) throw notFound(bucket, key, versionId)
  if (located.version.contentId !== null) return located as Located
  if (versionId === undefined) throw notFound(bucket, key, undefined)
  throw storageErrors.is_delete_marker({ message: `version '${versionId}' of '${key}' in '${nameOf(bucket)}' is a delete marker` })
}

export function notFound(wanted: BucketRef, key: string, versionId: string | undefined): Error {
  const bucket = nameOf(wanted)
  if (versionId === undefined) return storageErrors.object_not_found({ message: `there is no object '${key}' in bucket '${bucket}'` })
  return storageErrors.version_not_found({ message: `there is no version '${versionId}' of '${key}' in bucket '${bucket}'` })
}

/** An empty object has no bytes to look for. */
function openEmpty({ onRead }: OpenDeps, version: ObjectVersion): OpenedObject {
  onRead?.('cache')
  return { version, source: 'cache', async *read() {}, async [Symbol.asyncDispose]() {} }
}
