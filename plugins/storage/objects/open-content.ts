import type { ReadableBlob } from '../cache/blobs/file-read.ts'
import type { Cache } from '../cache/cache.ts'
import { DamagedBlob, UnreadableBlob, unreadableContent } from '../cache/verification/whole-read.ts'
import type { ExpectedBlob } from '../catalog/cached/cache-entry-store.ts'
import { keptBlobsOf } from '../catalog/cached/damage-store.ts'
import type { LocatedFiles } from '../catalog/versions/location-store.ts'
import { contentErrors, type ObjectVersion, type OpenedObject } from '../contract.ts'
import { openElsewhere, openSegments, type SegmentDeps } from './segment-read.ts'

const retryAfterSeconds = 10
/** Each put of the same bytes replaces their file. After this many replacements between lookup and open, read from a provider. */
const lookupsMax = 8
const reopensMax = 2

export type OpenDeps = SegmentDeps & {
  readonly cache: Pick<Cache, 'hasFile' | 'touch' | 'openCold'>
  /** Called once per opened object with the source of its bytes. */
  readonly onRead?: ((from: OpenedObject['source']) => void) | undefined
}

/** A version with bytes and the cached files of its content. */
export interface LocatedContent extends LocatedFiles {
  readonly version: ObjectVersion & { readonly contentId: number }
}

/** Opens the bytes of one content from the cache or else from a provider. `locate` looks them up again. */
export function openContent(deps: OpenDeps, found: LocatedContent, locate: () => Promise<LocatedContent>): Promise<OpenedObject> {
  return openWithin(deps, found, { locate, reopens: reopensMax })
}

interface Again {
  locate(): Promise<LocatedContent>
  /** How often a read that failed before its first byte may begin again. */
  readonly reopens: number
}

async function openWithin(deps: OpenDeps, found: LocatedContent, again: Again): Promise<OpenedObject> {
  let located = found
  let missingBlobId: string | undefined
  for (let lookup = 0; lookup < lookupsMax; lookup++) {
    const blobId = located.blobs[0]?.blobId
    // An eviction or a put of the same bytes may have removed the file between lookup and open: look up again.
    const isKnownMissing = blobId !== undefined && blobId === missingBlobId
    const opened =
      blobId === undefined ? await openWithoutFiles(deps, located) : await openCached(deps, located, { ...again, isKnownMissing })
    if (opened) return opened
    located = await again.locate()
    // The row of a missing file stays while the disk is not mounted.
    if (isKnownMissing && located.blobs[0]?.blobId === missingBlobId) break
    missingBlobId = blobId
  }
  return openRemote(deps, located.version)
}

async function openCached(
  deps: OpenDeps,
  { version, blobs, accessedAtMs }: LocatedContent,
  { isKnownMissing, ...again }: Again & { readonly isKnownMissing: boolean },
): Promise<OpenedObject | undefined> {
  const { cache, onRead } = deps
  const [blob] = blobs
  if (!blob) return undefined
  if (blobs.length > 1) {
    if (await cache.hasFile(blob)) {
      onRead?.('cache')
      cache.touch(version.contentId, accessedAtMs)
      return openSegments(deps, { version, blobs })
    }
    if (isKnownMissing) await cache.settle(version.contentId, blob)
    return undefined
  }
  const opened = await cache.open(blob)
  if (opened.is === 'open') {
    onRead?.('cache')
    cache.touch(version.contentId, accessedAtMs)
    const { bytes } = opened.blob
    if (bytes) return openMemory(version, opened.blob, bytes)
    const { blob: file, isVerified } = opened
    if (!isVerified) return openUnverified(deps, { version, blob, file }, again)
    return {
      version,
      source: 'cache',
      read: (range, options) => file.read(range, options),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    }
  }
  if (opened.is === 'unreadable') return openFromProvider(deps, version, opened.error)
  // A missing file may have been replaced, so the next lookup of its row decides.
  if (opened.is === 'damaged' || isKnownMissing) await cache.settle(version.contentId, blob)
  return undefined
}

/** Returns nothing when the content was cached since. */
async function openWithoutFiles(deps: OpenDeps, { version, isDamaged, accessedAtMs }: LocatedContent): Promise<OpenedObject | undefined> {
  if (!isDamaged) return openCold(deps, version)
  const blobs = await keptBlobsOf(deps.database.read, version.contentId)
  if (!blobs.some(({ damagedAtMs }) => damagedAtMs !== null)) return undefined
  const [only, ...others] = blobs
  if (only && others.length === 0) {
    const verdict = await deps.cache.settle(version.contentId, only)
    if (verdict === 'gone' || verdict === 'intact') return undefined
    const opened = await openElsewhere(deps, version)
    deps.onRead?.('provider')
    return opened
  }
  deps.onRead?.('cache')
  deps.cache.touch(version.contentId, accessedAtMs)
  return openSegments(deps, { version, blobs })
}

/** Nothing is held, so nothing is closed. */
const openMemory = (version: ObjectVersion, blob: ReadableBlob, bytes: Uint8Array): OpenedObject => ({
  version,
  source: 'cache',
  read: (range) => blob.read(range),
  bytes,
  async [Symbol.asyncDispose]() {},
})

interface OpenFile {
  readonly version: LocatedContent['version']
  readonly blob: ExpectedBlob
  readonly file: ReadableBlob
}

/** Verifies the file during the read. A fault found before the first byte: opens the content again; after it: the read fails (I-30). */
function openUnverified(deps: OpenDeps, { version, blob, file }: OpenFile, { locate, reopens }: Again): OpenedObject {
  const guard = new AsyncDisposableStack()
  guard.use(file)
  /** The bytes from elsewhere, or the error of the read. */
  async function replace(fault: unknown, hasSent: boolean): Promise<OpenedObject> {
    if (fault instanceof UnreadableBlob) {
      if (hasSent) throw unreadableContent(fault)
      return readFromProvider(deps, version, fault)
    }
    if (!(fault instanceof DamagedBlob)) throw fault
    const verdict = await deps.cache.settle(version.contentId, blob)
    if (hasSent) throw unavailable(`the cached bytes of '${version.key}' are damaged; retry the read`, fault)
    if (verdict === 'unknown' || reopens === 0) return deps.openUncached(version, version.contentId)
    const { onRead: _, ...uncounted } = deps
    return openWithin(uncounted, await locate(), { locate, reopens: reopens - 1 })
  }

  async function* read(...wanted: Parameters<OpenedObject['read']>): AsyncGenerator<Uint8Array, void, void> {
    let hasSent = false
    let other: OpenedObject
    try {
      for await (const block of file.read(...wanted)) {
        hasSent = true
        yield block
      }
      return
    } catch (fault) {
      other = await replace(fault, hasSent)
    }
    // A disposed guard takes nothing more.
    if (guard.disposed) {
      await other[Symbol.asyncDispose]()
      throw unavailable(`'${version.key}' was closed during the read`, undefined)
    }
    guard.use(other)
    yield* other.read(...wanted)
  }
  return { version, source: 'cache', read, [Symbol.asyncDispose]: () => guard.disposeAsync() }
}

async function openFromProvider(deps: OpenDeps, version: LocatedContent['version'], fault: UnreadableBlob): Promise<OpenedObject> {
  const opened = await readFromProvider(deps, version, fault)
  deps.onRead?.('provider')
  return opened
}

/** Reads from a provider. The entry stays: the bytes of the file may be intact. */
async function readFromProvider(
  { openUncached, log }: OpenDeps,
  version: LocatedContent['version'],
  fault: UnreadableBlob,
): Promise<OpenedObject> {
  const fields = { content: version.contentId, error: fault }
  try {
    const opened = await openUncached(version, version.contentId)
    log.warn('a cached file cannot be read; its bytes come from a provider; check the disk of cache.dir', fields)
    return opened
  } catch (error) {
    log.error('a cached file cannot be read, and no provider gave its bytes; check the disk of cache.dir', { ...fields, cause: error })
    throw unreadableContent(fault)
  }
}

/** Returns nothing when the content was cached since. */
async function openCold({ cache, openUncached, onRead }: OpenDeps, version: LocatedContent['version']): Promise<OpenedObject | undefined> {
  const opened = await cache.openCold(version, version.contentId, openUncached)
  if (opened) onRead?.('provider')
  return opened
}

async function openRemote({ openUncached, onRead }: OpenDeps, version: LocatedContent['version']): Promise<OpenedObject> {
  onRead?.('provider')
  return openUncached(version, version.contentId)
}

const unavailable = (message: string, cause: unknown): Error => contentErrors.content_unavailable({ message, retryAfterSeconds, cause })
