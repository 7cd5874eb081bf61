/** Request bodies that are XML documents. */
import { readWholeBody } from '../auth/request-body.ts'
import type { XmlDocument } from '../documents/xml-document.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { S3Request } from './operation.ts'

interface XmlBodyOptions {
  readonly bytesMax: number
  /** True when S3 requires Content-MD5 or a checksum for this operation. */
  readonly needsDigest?: boolean
}

/**
 * The document in the body, after its length, signature and digests were verified. Throws MalformedXML, InvalidRequest without a needed
 * digest, or an error of the verification.
 */
export async function readXmlBody<Value>(request: S3Request, document: XmlDocument<Value>, options: XmlBodyOptions): Promise<Value> {
  if (options.needsDigest && !hasDigest(request)) {
    throw new S3Error('InvalidRequest', { message: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*.' })
  }
  return document.parse(await readWholeBody(await request.openBody(), options.bytesMax))
}

/** As `readXmlBody`; undefined for a request without a body. */
export async function readOptionalXmlBody<Value>(
  request: S3Request,
  document: XmlDocument<Value>,
  { bytesMax }: XmlBodyOptions,
): Promise<Value | undefined> {
  if (!request.headers.has('transfer-encoding') && Number(request.headers.get('content-length') ?? 0) === 0) return undefined
  const body = await readWholeBody(await request.openBody(), bytesMax)
  return body.length === 0 ? undefined : document.parse(body)
}

function hasDigest({ headers }: S3Request): boolean {
  if (headers.has('content-md5') || headers.has('x-amz-trailer')) return true
  for (const name of headers.names()) if (name.startsWith('x-amz-checksum-')) return true
  return false
}
