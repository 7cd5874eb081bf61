/** Request bodies that are XML documents. */
import { type BodyOptions, readWholeBody } from '../auth/request-body.ts'
import type { XmlDocument } from '../documents/xml-document.ts'
import type { Headers } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { S3Request } from './operation.ts'

interface XmlBodyOptions extends Pick<BodyOptions, 'checksumOf'> {
  /** Default: that of the configuration of a bucket or an object. */
  readonly bytesMax?: number
  /** True when S3 requires Content-MD5 or a checksum for this operation. */
  readonly needsDigest?: boolean
}

const configurationBytesMax = 64 * 1024

/**
 * Heap of a request by bytes of its document: the text, its values, and an answer that repeats them, in which one character becomes up to six
 * (`&quot;`).
 */
const heapPerByte = 8

type BodyRequest = Pick<S3Request, 'headers' | 'openBody' | 'holdMemory'>

/**
 * Reads the document in the body, after its length, signature and digests were verified. With `mayBeEmpty` a request without a body gives
 * undefined. Throws MalformedXML, InvalidRequest without a needed digest, SlowDown without memory for what arrives, or an error of the verification.
 */
export function readXmlBody<Value>(
  request: BodyRequest,
  document: XmlDocument<Value>,
  options: XmlBodyOptions & { readonly mayBeEmpty: true },
): Promise<Value | undefined>
export function readXmlBody<Value>(request: BodyRequest, document: XmlDocument<Value>, options?: XmlBodyOptions): Promise<Value>
export async function readXmlBody<Value>(
  request: BodyRequest,
  document: XmlDocument<Value>,
  options: XmlBodyOptions & { readonly mayBeEmpty?: boolean } = {},
): Promise<Value | undefined> {
  const { bytesMax = configurationBytesMax, needsDigest = false, mayBeEmpty = false, checksumOf = 'body' } = options
  const { headers } = request
  if (mayBeEmpty && !announcesBody(headers)) return undefined
  if (needsDigest && !hasDigest(headers)) {
    throw new S3Error('InvalidRequest', { message: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*' })
  }
  const opened = await request.openBody({ checksumOf })
  const body = await readWholeBody(opened, bytesMax, (count) => request.holdMemory(heapPerByte * count))
  return mayBeEmpty && body.length === 0 ? undefined : document.parse(body)
}

const announcesBody = (headers: Headers): boolean => headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0

function hasDigest(headers: Headers): boolean {
  if (headers.has('content-md5') || headers.has('x-amz-trailer')) return true
  for (const name of headers.names()) if (name.startsWith('x-amz-checksum-')) return true
  return false
}
