import type { ReadableBlob } from '../cache/blob-reader.ts'
import { DamagedBlob } from '../cache/whole-read.ts'
import { type LocatedVersion, locateVersion } from '../catalog/version-store.ts'
import type { ObjectVersion, OpenedObject } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import type { ObjectParts } from './objects.ts'

const retryAfterSeconds = 10
/** Each put of the same bytes replaces their file; more of them between two looks than this is no accident. */
const looksMax = 8

interface Wanted {
  readonly bucket: string
  readonly key: string
  readonly versionId: string | undefined
}

/** Opens the bytes of a version: from the cache, else from a provider. */
export async function openObject(parts: ObjectParts, wanted: Wanted): Promise<OpenedObject> {
  const bucketId = parts.buckets.require(wanted.bucket).id
  let located = locate(parts, bucketId, wanted)
  let missingBlobId: string | undefined
  for (let look = 0; located.blob && look < looksMax; look++) {
    // An eviction, or a new put of the same bytes, may have moved them between the look-up and the open: look once more.
    const isKnownMissing = located.blob.blobId === missingBlobId
    const opened = await openCached(parts, located, isKnownMissing)
    if (opened) return opened
    if (isKnownMissing) break
    missingBlobId = located.blob.blobId
    located = locate(parts, bucketId, wanted)
  }
  return openRemote(parts, located.version)
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
  parts: ObjectParts,
  { version, blob, accessedAtMs }: Located,
  isKnownMissing: boolean,
): Promise<OpenedObject | undefined> {
  const { cache, onRead } = parts
  if (!blob) return undefined
  const opened = await cache.open(blob)
  if (opened.is === 'open') {
    onRead?.('cache')
    cache.touch(version.contentId, accessedAtMs)
    const { blob: file, isVerified } = opened
    if (!isVerified) return readProven(parts, { version, file, forget: () => cache.forget(version.contentId, blob) })
    return { version, source: 'cache', read: (range) => file.read(range), [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() }
  }
  // A damaged file stays damaged; a missing one may have been moved on purpose, so its row gets a second look first.
  if (opened.is === 'damaged' || isKnownMissing) await cache.forget(version.contentId, blob)
  return undefined
}

interface OpenFile {
  readonly version: Located['version']
  readonly file: ReadableBlob
  forget(): Promise<unknown>
}

/** Damage shows while the file is read. Before the first byte a stored copy takes its place; after it the answer must break off (I-30). */
function readProven({ readRemote }: ObjectParts, { version, file, forget }: OpenFile): OpenedObject {
  const guard = new AsyncDisposableStack()
  guard.use(file)
  async function* read(range: Parameters<OpenedObject['read']>[0]): AsyncGenerator<Uint8Array, void, void> {
    let hasBegun = false
    try {
      for await (const block of file.read(range)) {
        hasBegun = true
        yield block
      }
      return
    } catch (error) {
      if (!(error instanceof DamagedBlob)) throw error
      await forget()
      if (hasBegun || !readRemote) throw unavailable(`the cached bytes of '${version.key}' are damaged; read the object again`, error)
    }
    yield* guard.use(await readRemote(version, version.contentId)).read(range)
  }
  return { version, source: 'cache', read, [Symbol.asyncDispose]: () => guard.disposeAsync() }
}

async function openRemote({ readRemote, onRead }: ObjectParts, version: Located['version']): Promise<OpenedObject> {
  onRead?.('provider')
  if (readRemote) return readRemote(version, version.contentId)
  throw unavailable(`the bytes of '${version.key}' are not in the cache, and no provider can give them now`)
}

const unavailable = (message: string, cause?: unknown): Error =>
  storageErrors.content_unavailable({ message, retryAfterSeconds, ...(cause !== undefined && { cause }) })
