import type { Headers } from './headers.ts'
import { S3Error } from './s3-error.ts'

const metadataPrefix = 'x-amz-meta-'
const metadataBytesMax = 2048
/** Limit of the headers below. S3 allows 8 KiB for all headers of a request; fields of forms may be larger. */
const systemBytesMax = 8192

/** The headers stored with an object: content headers of HTTP and user metadata (x-amz-meta-*). */
interface ObjectHeaders {
  readonly contentType: string
  /** Values as sent, by lower-case header name. */
  readonly system: Readonly<Record<string, string>>
  /** Values by lower-case name without prefix; they are latin1 text, one character per received byte. */
  readonly metadata: Readonly<Record<string, string>>
}

const defaultContentType = 'binary/octet-stream'
const kept = ['cache-control', 'content-disposition', 'content-language', 'expires', 'x-amz-website-redirect-location'] as const

/** Throws MetadataTooLarge or RequestHeaderSectionTooLarge. */
export function readObjectHeaders(headers: Headers): ObjectHeaders {
  const system: Record<string, string> = {}
  for (const name of kept) {
    const value = headers.get(name)
    if (value) system[name] = value
  }
  const encoding = storedContentEncoding(headers.all('content-encoding'))
  if (encoding !== '') system['content-encoding'] = encoding
  const contentType = headers.get('content-type') || defaultContentType
  requireShort(contentType, system)
  return { contentType, system, metadata: readMetadata(headers) }
}

function requireShort(contentType: string, system: Readonly<Record<string, string>>): void {
  let size = 'content-type'.length + contentType.length
  for (const name in system) size += name.length + (system[name]?.length ?? 0)
  if (size > systemBytesMax) throw new S3Error('RequestHeaderSectionTooLarge', { extras: { Size: size, MaxSizeAllowed: systemBytesMax } })
}

/** Drops aws-chunked: it describes the request, not the object. */
function storedContentEncoding(values: readonly string[]): string {
  const codings = values.flatMap((value) => value.split(',')).map((coding) => coding.trim())
  return codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked').join(', ')
}

function readMetadata(headers: Headers): Record<string, string> {
  const metadata: [name: string, value: string][] = []
  let size = 0
  for (const header of headers.names()) {
    if (!header.startsWith(metadataPrefix)) continue
    const name = header.slice(metadataPrefix.length)
    const value = headers.get(header) ?? ''
    metadata.push([name, value])
    size += name.length + value.length
  }
  if (size > metadataBytesMax) {
    throw new S3Error('MetadataTooLarge', { extras: { Size: size, MaxSizeAllowed: metadataBytesMax } })
  }
  // fromEntries defines own properties, so the name __proto__ is safe.
  return Object.fromEntries(metadata)
}

/** Adds the headers to those of a response. */
export function writeObjectHeaders(
  { contentType, system, metadata }: ObjectHeaders,
  headers: Record<string, string> = {},
): Record<string, string> {
  headers['content-type'] = contentType
  for (const name in system) headers[name] = system[name] ?? ''
  for (const name in metadata) headers[metadataPrefix + name] = metadata[name] ?? ''
  return headers
}
