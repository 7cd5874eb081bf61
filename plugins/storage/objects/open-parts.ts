import { type ContentPart, partsInRange } from '../catalog/references/composite-store.ts'
import { locateContent } from '../catalog/versions/location-store.ts'
import type { ByteRange, OpenedObject, ReadOptions } from '../contract.ts'
import { type LocatedContent, type OpenDeps, openContent } from './open-content.ts'

type CompositeVersion = LocatedContent['version']

/** Opens a composite content. Its parts are opened one by one, each when the read arrives at it, from the cache or else from a provider. */
export async function openParts(deps: OpenDeps, version: CompositeVersion): Promise<OpenedObject> {
  const { database, onRead } = deps
  const [first] = await partsInRange(database.read, version.contentId, { start: 0, end: 0 })
  const isCached = first !== undefined && (await locateContent(database.read, first.contentId)).blobs.length > 0
  const source = isCached ? 'cache' : 'provider'
  onRead?.(source)
  const reading = new AsyncDisposableStack()
  return {
    version,
    source,
    read: (range, options) => readParts(deps, version, { start: 0, end: version.size - 1, ...range, ...options }, reading),
    [Symbol.asyncDispose]: () => reading.disposeAsync(),
  }
}

interface Range extends ReadOptions {
  readonly start: number
  readonly end: number
}

/** A disposal of `reading` ends the read of the open part. */
async function* readParts(
  deps: OpenDeps,
  version: CompositeVersion,
  { start, end, ...options }: Range,
  reading: AsyncDisposableStack,
): AsyncGenerator<Uint8Array, void, void> {
  let open: OpenedObject | undefined
  reading.defer(() => open?.[Symbol.asyncDispose]())
  const parts = await partsInRange(deps.database.read, version.contentId, { start, end })
  const rangeOf = (part: ContentPart) => ({ start: Math.max(0, start - part.offset), end: Math.min(end - part.offset, part.length - 1) })
  for (const part of parts) if (part.storeState === 'lost') await requireBytes(await openPart(deps, version, part), rangeOf(part))
  for (const part of parts) {
    if (reading.disposed) throw new Error('the object was closed during the read')
    await using opened = await openPart(deps, version, part)
    open = opened
    yield* opened.read(rangeOf(part), options)
  }
}

/** Refuses the read before its first byte: the bytes of a lost part are nowhere, unless they are intact again. */
async function requireBytes(part: OpenedObject, range: ByteRange): Promise<void> {
  await using opened = part
  for await (const _ of opened.read(range)) return
}

function openPart({ onRead: _, ...deps }: OpenDeps, version: CompositeVersion, part: ContentPart): Promise<OpenedObject> {
  const { contentId } = part
  const locate = async () => ({ version: versionOf(version, part), ...(await locateContent(deps.database.read, contentId)) })
  return locate().then((located) => openContent(deps, located, locate))
}

/** The part as if it were an object: sources of bytes read contents of one piece. */
function versionOf(whole: CompositeVersion, { contentId, length }: ContentPart): CompositeVersion {
  const { bucketId, key, versionId, isDeleteMarker, isCurrent, etag, headers, createdAtMs } = whole
  return { bucketId, key, versionId, isDeleteMarker, isCurrent, contentId, size: length, etag, headers, createdAtMs }
}
