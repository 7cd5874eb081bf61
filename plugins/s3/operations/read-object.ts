// What GetObject and HeadObject share: finding the version, its conditions, the range, and the headers of the answer.
import { SvcError } from '#kernel'
import type { ObjectVersion, OpenedObject } from '#plugins/storage'
import { evaluateReadConditions } from '../http/conditions.ts'
import type { Headers } from '../http/headers.ts'
import { writeObjectHeaders } from '../http/object-headers.ts'
import { resolveRange } from '../http/range.ts'
import { invalidArgument, S3Error } from '../http/s3-error.ts'
import type { ObjectRequest, S3Services } from './operation.ts'
import { checksumHeaders } from './put-object.ts'
import { refuseCustomerKeys } from './unsupported-headers.ts'

/** The version asked for by the query, or undefined for the current one. Throws InvalidArgument. */
export function requestedVersion({ query }: ObjectRequest): string | undefined {
  const versionId = query.get('versionId')
  if (versionId !== undefined && !/^[\w.~-]{1,64}$/.test(versionId)) {
    throw invalidArgument('versionId', versionId, 'Invalid version id specified')
  }
  return versionId
}

/** Throws NoSuchKey, NoSuchVersion, or MethodNotAllowed for a delete marker asked for by its id. */
export function findReadable(request: ObjectRequest, { objects }: S3Services, versionId: string | undefined): ObjectVersion {
  const { bucket, key } = request
  const version = objects.find(bucket.name, key, versionId)
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

const nothingToRead: ReadonlySet<string> = new Set(['object_not_found', 'version_not_found', 'is_delete_marker'])

/** Like findReadable, but opens the version in the same look-up. */
export async function openReadable(request: ObjectRequest, services: S3Services, versionId: string | undefined): Promise<OpenedObject> {
  const { bucket, key } = request
  try {
    return await services.objects.open(bucket.name, key, versionId)
  } catch (error) {
    // Storage found nothing to read; the look-up tells what is there instead, such as a delete marker.
    if (error instanceof SvcError && nothingToRead.has(error.code)) findReadable(request, services, versionId)
    throw error
  }
}

export interface ReadPlan {
  readonly status: 200 | 206 | 304
  readonly headers: Record<string, string>
  readonly length: number
  readonly range?: { readonly start: number; readonly end: number }
}

/** Decides how a version is answered. Throws PreconditionFailed, InvalidRange, InvalidPartNumber, InvalidRequest. */
export function planRead(request: ObjectRequest, version: ObjectVersion): ReadPlan {
  refuseCustomerKeys(request.headers)
  const range = requestedRange(request, version.size)
  if (isUnmodified(request, version)) return { status: 304, headers: identityHeaders(version), length: 0 }
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    ...identityHeaders(version),
    ...writeObjectHeaders({ ...version.headers, metadata: version.headers.user }),
    ...overrides(request.query),
  }
  if (range !== undefined) {
    const { start, end } = range
    headers['content-range'] = `bytes ${start}-${end}/${version.size}`
    headers['content-length'] = String(end - start + 1)
    return { status: 206, headers, length: end - start + 1, range }
  }
  headers['content-length'] = String(version.size)
  if (wantsChecksums(request.headers)) Object.assign(headers, checksumHeaders(version))
  return { status: request.query.has('partNumber') ? 206 : 200, headers, length: version.size }
}

/** True when the answer may do without the object's bytes. */
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
  if (query.has('partNumber')) {
    if (header !== undefined)
      throw new S3Error('InvalidRequest', { message: 'Cannot specify both Range header and partNumber query parameter.' })
    requireOnlyPart(query.get('partNumber') ?? '')
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

/** An object written in one piece has one part. */
function requireOnlyPart(text: string): void {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 10_000) {
    throw invalidArgument('partNumber', text, 'Part number must be an integer between 1 and 10000, inclusive')
  }
  if (Number(text) !== 1) throw new S3Error('InvalidPartNumber', { extras: { ActualPartCount: 1, PartNumberRequested: text } })
}

function identityHeaders(version: ObjectVersion): Record<string, string> {
  return { etag: `"${version.etag}"`, 'last-modified': httpDate(version.createdAtMs), 'x-amz-version-id': version.versionId }
}

function wantsChecksums(headers: Headers): boolean {
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

/** As header bytes; a line break would let a URL add headers of its own. */
function headerText(name: string, value: string): string {
  const text = Buffer.from(value, 'utf8').toString('latin1')
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw invalidArgument(name, value, `${name} contains characters a header cannot carry.`)
  return text
}

function httpDate(timeMs: number): string {
  return new Date(timeMs).toUTCString()
}
