import { errorDocument } from '../documents/error.ts'
import { S3Error, type S3ErrorCode } from '../wire/s3-error.ts'
import { hostId, newRequestId } from './request-ids.ts'

const codes: Readonly<Record<string, S3ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'RequestHeaderSectionTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BadRequest',
  HPE_INVALID_URL: 'InvalidURI',
  ERR_HTTP_REQUEST_TIMEOUT: 'RequestTimeout',
}

/** The answer to a request that Node's HTTP parser rejects. Its connection closes. */
export function answerClientError({ code = '' }: NodeJS.ErrnoException): string {
  const refusal = new S3Error(codes[code] ?? 'BadRequest')
  const requestId = newRequestId()
  const body = errorDocument.write({ error: refusal, resource: '', requestId, hostId })
  return (
    `HTTP/1.1 ${refusal.status} ${refusal.code}\r\nContent-Type: application/xml\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `x-amz-request-id: ${requestId}\r\nx-amz-id-2: ${hostId}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`
  )
}
