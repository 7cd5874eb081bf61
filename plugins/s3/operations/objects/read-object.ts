/** Shared by GetObject and HeadObject. */
import { SvcError } from '#kernel'
import type { ObjectVersion, OpenedObject } from '#plugins/storage'
import { evaluateReadConditions, matchIfRange } from '../../wire/conditions.ts'
import { type Headers, headerText } from '../../wire/headers.ts'
import { writeObjectHeaders } from '../../wire/object-headers.ts'
import { readPartNumber } from '../../wire/query.ts'
import { resolveRange } from '../../wire/range.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { checksumHeaders } from '../../wire/stored-checksums.ts'
import { refuseCustomerKeys } from '../../wire/unsupported-headers.ts'
import type { ObjectRequest, S3Services } from '../operation.ts'
import { partRange } from './part-range.ts'

type Requested = Awaited<ReturnType<typeof readRequested>>

/** Throws NoSuchKey, NoSuchVersion, or MethodNotAllowed for a delete marker requested by version ID. */
export async function findReadable(request: ObjectRequest, { objects }: S3Services, versionId: string | undefined): Promise<ObjectVersion> {
  const { bucket, key } = request
  const version = await objects.find(bucket, key, versionId)
  if (version === undefined) {
    if (versionId === undefined) throw new S3Error('NoSuchKey', { extras: { Key: key } })
    throw new S3Error('NoSuchVersion', { extras: { Key: key, VersionId: versionId } })
  }
  if (!version.isDeleteMarker) {
    await request.confirm(bucket, version)
    return version
  }
  const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.versionId }
  if (versionId === undefined) throw new S3Error('NoSuchKey', { extras: { Key: key }, headers })
  throw new S3Error('MethodNotAllowed', {
    extras: { Method: request.method, ResourceType: 'DeleteMarker' },
    headers: { ...headers, allow: 'DELETE', 'last-modified': httpDate(version.createdAtMs) },
  })
}

const unreadableCodes: ReadonlySet<string> = new Set(['object_not_found', 'version_not_found', 'is_delete_marker'])

/** Opens the version in the same lookup, unlike findReadable. */
export async function openReadable(request: ObjectRequest, services: S3Services, versionId: string | undefined): Promise<OpenedObject> {
  const { bucket, key } = request
  try {
    const opened = await services.objects.open(bucket, key, versionId)
    await orDispose(opened, () => request.confirm(bucket, opened.version))
    return opened
  } catch (error) {
    // findReadable throws the S3 error with its details, such as those of a delete marker.
    if (error instanceof SvcError && unreadableCodes.has(error.code)) await findReadable(request, services, versionId)
    throw error
  }
}

export async function orDispose<T>(opened: OpenedObject, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

interface ReadPlan {
  readonly status: 200 | 206 | 304
  readonly headers: Record<string, string>
  readonly length: number
  readonly range?: { readonly start: number; readonly end: number }
}

/** The parts of the version if the request names one, else none; and the Range header, if it counts. */
export async function readRequested(request: ObjectRequest, services: S3Services, version: ObjectVersion) {
  const { bucket, key, query, headers } = request
  const parts = query.has('partNumber') ? await services.uploads.partsOf({ bucket, key, versionId: version.versionId }) : []
  const range = headers.get('range')
  if (range === undefined || !headers.has('if-range')) return { parts, range }
  return { parts, range: (await isSameForRange(request, services, version)) ? range : undefined }
}

/** Whether If-Range proves that the client has bytes of this version: else it would join those of two versions. */
async function isSameForRange({ bucket, key, headers }: ObjectRequest, { versions }: S3Services, version: ObjectVersion): Promise<boolean> {
  const { etag, createdAtMs, versionId } = version
  const match = matchIfRange(headers.get('if-range') ?? '', { etag, lastModifiedMs: createdAtMs })
  if (match !== 'second') return match === 'etag'
  const { versions: older } = await versions.list({ bucket, prefix: key, keyMarker: key, versionIdMarker: versionId, limit: 1 })
  return !older.some((before) => before.key === key && isSameSecond(before.createdAtMs, createdAtMs))
}

const isSameSecond = (oneMs: number, otherMs: number): boolean => Math.floor(oneMs / 1000) === Math.floor(otherMs / 1000)

/**
 * Decides status, headers and range of the response. `requested`: from `readRequested`. Throws PreconditionFailed, InvalidRange,
 * InvalidPartNumber, InvalidRequest.
 */
export function planRead(request: ObjectRequest, version: ObjectVersion, requested: Requested): ReadPlan {
  refuseCustomerKeys(request.headers)
  const { range, length, checksums, partsCount } = requestedBytes(request, version, requested)
  if (isUnmodified(request, version)) return { status: 304, headers: identityHeaders(version), length: 0 }
  const { contentType, system, user, tags } = version.headers
  const headers = identityHeaders(version)
  headers['accept-ranges'] = 'bytes'
  writeObjectHeaders({ contentType, system, metadata: user }, headers)
  addOverrides(headers, request)
  headers['content-length'] = String(length)
  if (partsCount !== undefined) headers['x-amz-mp-parts-count'] = String(partsCount)
  if (requestsChecksums(request.headers)) {
    const whole = version.headers.checksums
    Object.assign(headers, checksumHeaders(checksums ?? whole, whole))
  }
  if (tags !== undefined) addTagsCount(headers, tags)
  // A part without bytes has no range either: Content-Range cannot name zero bytes.
  if (range === undefined) return { status: 200, headers, length }
  headers['content-range'] = `bytes ${range.start}-${range.end}/${version.size}`
  return { status: 206, headers, length, range }
}

export function hasReadConditions(headers: Headers): boolean {
  return headers.has('if-none-match') || headers.has('if-match') || headers.has('if-modified-since') || headers.has('if-unmodified-since')
}

function isUnmodified({ headers, now }: ObjectRequest, version: ObjectVersion): boolean {
  if (!hasReadConditions(headers)) return false
  const result = evaluateReadConditions(
    {
      ifMatch: headers.get('if-match'),
      ifNoneMatch: headers.get('if-none-match'),
      ifModifiedSince: headers.get('if-modified-since'),
      ifUnmodifiedSince: headers.get('if-unmodified-since'),
    },
    { etag: version.etag, lastModifiedMs: version.createdAtMs },
    now,
  )
  if (result.kind === 'failed') throw new S3Error('PreconditionFailed', { extras: { Condition: result.condition } })
  return result.kind === 'not-modified'
}

interface RequestedBytes {
  /** Is undefined for the whole object, or a part without bytes. */
  readonly range: ReadPlan['range'] | undefined
  readonly length: number
  /** Checksums of these bytes, as far as they are known; undefined: those of the object. */
  readonly checksums?: Readonly<Record<string, string>>
  readonly partsCount?: number
}

function requestedBytes({ query }: ObjectRequest, version: ObjectVersion, { parts, range: header }: Requested): RequestedBytes {
  const part = readPartNumber(query)
  if (part !== undefined) {
    if (header !== undefined)
      throw new S3Error('InvalidRequest', { message: 'Cannot specify both Range header and partNumber query parameter.' })
    return partRange(version, parts, part)
  }
  const range = resolveRange(header, version.size)
  if (range.kind === 'unsatisfiable') {
    throw new S3Error('InvalidRange', {
      extras: { RangeRequested: header ?? '', ActualObjectSize: version.size },
      headers: { 'content-range': `bytes */${version.size}` },
    })
  }
  if (range.kind === 'whole') return { range: undefined, length: version.size }
  return { range: { start: range.first, end: range.last }, length: range.last - range.first + 1, checksums: {} }
}

/** Adds no header without tags, as S3. */
function addTagsCount(headers: Record<string, string>, tags: Readonly<Record<string, string>>): void {
  const count = Object.keys(tags).length
  if (count > 0) headers['x-amz-tagging-count'] = String(count)
}

function identityHeaders(version: ObjectVersion): Record<string, string> {
  return { etag: `"${version.etag}"`, 'last-modified': httpDate(version.createdAtMs), 'x-amz-version-id': version.versionId }
}

function requestsChecksums(headers: Headers): boolean {
  return headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED'
}

const overridable = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires'] as const

/** Throws InvalidRequest for an anonymous request: its URL was signed by no one, so anyone could choose the headers. */
function addOverrides(headers: Record<string, string>, { query, caller }: ObjectRequest): void {
  if (query.size === 0) return
  for (const name of overridable) {
    const value = query.get(`response-${name}`)
    if (value === undefined) continue
    if (caller === undefined) {
      throw new S3Error('InvalidRequest', { message: 'Request specific response headers cannot be used for anonymous GET requests.' })
    }
    headers[name] = headerText(`response-${name}`, value)
  }
}

function httpDate(timeMs: number): string {
  return new Date(timeMs).toUTCString()
}
