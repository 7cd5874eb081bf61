/** Shared by GetObject and HeadObject. */
import { SvcError } from '#kernel'
import type { ObjectVersion, OpenedObject } from '#plugins/storage'
import { evaluateReadConditions } from '../../wire/conditions.ts'
import type { Headers } from '../../wire/headers.ts'
import { writeObjectHeaders } from '../../wire/object-headers.ts'
import { readPartNumber } from '../../wire/query.ts'
import { resolveRange } from '../../wire/range.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'
import { refuseCustomerKeys } from '../../wire/unsupported-headers.ts'
import type { ObjectRequest, S3Services } from '../operation.ts'
import { checksumHeaders } from './put-object.ts'

/** Throws NoSuchKey, NoSuchVersion, or MethodNotAllowed for a delete marker requested by version ID. */
export async function findReadable(request: ObjectRequest, { objects }: S3Services, versionId: string | undefined): Promise<ObjectVersion> {
  const { bucket, key } = request
  const version = await objects.find(bucket.name, key, versionId)
  if (version === undefined) {
    if (versionId === undefined) throw new S3Error('NoSuchKey', { extras: { Key: key } })
    throw new S3Error('NoSuchVersion', { extras: { Key: key, VersionId: versionId } })
  }
  if (!version.isDeleteMarker) return version
  const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.versionId }
  if (versionId === undefined) throw new S3Error('NoSuchKey', { extras: { Key: key }, headers })
  throw new S3Error('MethodNotAllowed', {
    extras: { Method: request.method, ResourceType: 'DeleteMarker' },
    headers: { ...headers, allow: 'DELETE', 'last-modified': httpDate(version.createdAtMs) },
  })
}

const unreadableCodes: ReadonlySet<string> = new Set(['object_not_found', 'version_not_found', 'is_delete_marker'])

/** Like findReadable, but opens the version in the same lookup. */
export async function openReadable(request: ObjectRequest, services: S3Services, versionId: string | undefined): Promise<OpenedObject> {
  const { bucket, key } = request
  try {
    return await services.objects.open(bucket.name, key, versionId)
  } catch (error) {
    // findReadable throws the S3 error with its details, such as those of a delete marker.
    if (error instanceof SvcError && unreadableCodes.has(error.code)) await findReadable(request, services, versionId)
    throw error
  }
}

interface ReadPlan {
  readonly status: 200 | 206 | 304
  readonly headers: Record<string, string>
  readonly length: number
  readonly range?: { readonly start: number; readonly end: number }
}

/** Decides status, headers and range of the response. Throws PreconditionFailed, InvalidRange, InvalidPartNumber, InvalidRequest. */
export function planRead(request: ObjectRequest, version: ObjectVersion): ReadPlan {
  refuseCustomerKeys(request.headers)
  const range = requestedRange(request, version.size)
  if (isUnmodified(request, version)) return { status: 304, headers: identityHeaders(version), length: 0 }
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    ...identityHeaders(version),
    ...writeObjectHeaders({ ...version.headers, metadata: version.headers.user }),
    ...overrides(request.query),
    ...tagsCount(version),
  }
  if (range !== undefined) {
    const { start, end } = range
    headers['content-range'] = `bytes ${start}-${end}/${version.size}`
    headers['content-length'] = String(end - start + 1)
    return { status: 206, headers, length: end - start + 1, range }
  }
  headers['content-length'] = String(version.size)
  if (requestsChecksums(request.headers)) Object.assign(headers, checksumHeaders(version))
  return { status: request.query.has('partNumber') ? 206 : 200, headers, length: version.size }
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

function requestedRange({ headers, query }: ObjectRequest, size: number): ReadPlan['range'] {
  const header = headers.get('range')
  const part = readPartNumber(query)
  if (part !== undefined) {
    if (header !== undefined)
      throw new S3Error('InvalidRequest', { message: 'Cannot specify both Range header and partNumber query parameter.' })
    requireOnlyPart(part)
    return undefined
  }
  const range = resolveRange(header, size)
  if (range.kind === 'unsatisfiable') {
    throw new S3Error('InvalidRange', {
      extras: { RangeRequested: header ?? '', ActualObjectSize: size },
      headers: { 'content-range': `bytes */${size}` },
    })
  }
  return range.kind === 'part' ? { start: range.first, end: range.last } : undefined
}

/** Objects are uploaded in one part. */
function requireOnlyPart(part: number): void {
  if (part !== 1) throw new S3Error('InvalidPartNumber', { extras: { ActualPartCount: 1, PartNumberRequested: part } })
}

/** As S3, without tags none. */
function tagsCount({ headers: { tags = {} } }: ObjectVersion): Record<string, string> {
  const count = Object.keys(tags).length
  return count === 0 ? {} : { 'x-amz-tagging-count': String(count) }
}

function identityHeaders(version: ObjectVersion): Record<string, string> {
  return { etag: `"${version.etag}"`, 'last-modified': httpDate(version.createdAtMs), 'x-amz-version-id': version.versionId }
}

function requestsChecksums(headers: Headers): boolean {
  return headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED'
}

const overridable = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires'] as const

function overrides(query: ReadonlyMap<string, string>): Record<string, string> {
  const headers: Record<string, string> = {}
  if (query.size === 0) return headers
  for (const name of overridable) {
    const value = query.get(`response-${name}`)
    if (value !== undefined) headers[name] = headerText(`response-${name}`, value)
  }
  return headers
}

/** Encodes a header value. Rejects line breaks, which would inject headers. */
function headerText(name: string, value: string): string {
  const text = Buffer.from(value, 'utf8').toString('latin1')
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
    throw invalidArgument(name, value, `${name} contains characters that are invalid in a header.`)
  return text
}

function httpDate(timeMs: number): string {
  return new Date(timeMs).toUTCString()
}
