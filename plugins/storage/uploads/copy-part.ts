import { defineProbe } from '#kernel'
import type { Cache } from '../cache/cache.ts'
import type { UploadKey } from '../catalog/uploads/upload-store.ts'
import type { ByteRange, CopyPart, ObjectVersion, UploadPart } from '../contract.ts'
import { storageErrors } from '../errors.ts'
import { type Located, locate, type OpenObjectDeps, openObject } from '../objects/open-object.ts'
import { refuse } from '../objects/put-checks.ts'
import { sizeProblem } from '../objects/size-policy.ts'
import { type PutPartDeps, partSizes, putPart, recordPart, requireOpen } from './put-part.ts'

const linked = defineProbe('storage.upload.part-linked')

interface CopiedPart {
  readonly part: UploadPart
  readonly source: ObjectVersion
}

export type CopyPartDeps = PutPartDeps & OpenObjectDeps & { readonly cache: Pick<Cache, 'reserve' | 'linkFile'> }

/** A part with bytes of an existing version: a second name of its file where possible, else the bytes are read and written. */
export async function copyPart(deps: CopyPartDeps, request: CopyPart): Promise<CopiedPart> {
  const of = await requireOpen(deps, request)
  const located = await locate(deps, deps.buckets.require(request.source.bucket).id, request.source)
  const { version } = located
  request.sourceCondition?.(version)
  const range = request.range ?? { start: 0, end: version.size - 1 }
  requireRange(range, version)
  const size = range.end + 1 - range.start
  refuse(sizeProblem(size, partSizes(deps)))
  const part = (size === version.size && (await linkFile(deps, of, request, located))) || (await readBytes(deps, request, version, range))
  return { part, source: version }
}

function requireRange({ start, end }: ByteRange, { size, key }: ObjectVersion): void {
  const isWhole = start === 0 && end === size - 1
  if (isWhole || (start >= 0 && start <= end && end < size)) return
  throw storageErrors.invalid_copy_range({
    message: `bytes ${start} to ${end} are not within the ${size} bytes of '${key}'; choose a range inside the source`,
  })
}

/** An ETag that is the MD5 of all bytes. */
const plainEtag = /^[0-9a-f]{32}$/

/** Returns nothing when the bytes must be read: their MD5 is not known, they are not in one file of their own, or the file is damaged. */
async function linkFile(deps: CopyPartDeps, of: UploadKey, request: CopyPart, located: Located): Promise<UploadPart | undefined> {
  const { size, etag } = located.version
  const [blob, ...others] = located.blobs
  if (!blob || others.length > 0 || blob.sha256 === null || request.through || !plainEtag.test(etag)) return undefined
  using reservation = await deps.cache.reserve(size)
  const { sha256 } = blob
  const checksums = request.verify?.({ size, md5: etag, sha256 }) ?? {}
  const link = await deps.cache.linkFile(blob, linked)
  if (!link) return undefined
  const part = { partNumber: request.partNumber, size, etag, sha256, checksums, blob: link, reservation }
  return await recordPart(deps, of, part, request.signal)
}

async function readBytes(deps: CopyPartDeps, request: CopyPart, version: ObjectVersion, range: ByteRange): Promise<UploadPart> {
  await using opened = await openObject(deps, { ...request.source, versionId: version.versionId })
  const bytes = opened.read(range)
  const { source: _source, sourceCondition: _condition, range: _range, through, ...part } = request
  return await putPart(deps, { ...part, body: through?.(bytes) ?? bytes, size: range.end + 1 - range.start })
}
