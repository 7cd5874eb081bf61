/** Signs requests by hand, also with wrong signatures. */
import { hash } from 'node:crypto'
import { canonicalRequests } from '../auth/canonical-request.ts'
import { formatAmzDate } from '../auth/credential.ts'
import { sign, signingKey, stringToSign } from '../auth/signing-key.ts'
import { readHeaders } from '../wire/headers.ts'

export interface SignedRequestOptions {
  readonly method: string
  /** Path and query, as sent. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly user: { readonly accessKey: string; readonly secretKey: string }
  readonly now?: number
  /** Value of x-amz-content-sha256. Default: hash of the body. */
  readonly payload?: string
  /** Added after signing. */
  readonly unsignedHeaders?: Readonly<Record<string, string>>
  /** Makes a body with signed chunks. */
  readonly bodyOf?: (framing: Framing) => Buffer
}

interface Framing {
  readonly signing: { readonly key: ReturnType<typeof signingKey>; readonly amzDate: string; readonly scope: string }
  readonly seed: string
}

/** The raw request. */
export function signedRequest(port: number, options: SignedRequestOptions): { readonly head: string; readonly body: string | Buffer } {
  const { headers, body } = signedHeaders(port, options)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return { head: `${options.method} ${options.url} HTTP/1.1\r\n${lines.join('')}\r\n`, body }
}

/** All headers of the request, and its body. Default Content-Length: that of the body. */
export function signedHeaders(port: number, options: SignedRequestOptions) {
  const { method, url, user, body = '', now = Date.now(), bodyOf } = options
  const amzDate = formatAmzDate(now)
  const date = amzDate.slice(0, 8)
  const payloadHash = options.payload ?? hash('sha256', body)
  const headers = { host: `127.0.0.1:${port}`, 'x-amz-date': amzDate, 'x-amz-content-sha256': payloadHash, ...options.headers }
  const signedHeaders = Object.keys(headers).sort()
  const mark = url.indexOf('?')
  const [rawPath, rawQuery] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
  const request = { method, rawPath, rawQuery, headers: readHeaders(Object.entries(headers).flat()) }
  const [canonical = ''] = canonicalRequests(request, { signedHeaders, payloadHash })
  const scope = `${date}/us-east-1/s3/aws4_request`
  const signing = { key: signingKey(user.secretKey, date, 'us-east-1'), amzDate, scope }
  const seed = sign(signing.key, stringToSign(signing, canonical))
  const sent = bodyOf === undefined ? body : bodyOf({ signing, seed })
  const all: Record<string, string> = {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${user.accessKey}/${scope}, SignedHeaders=${signedHeaders.join(';')}, Signature=${seed}`,
    ...(sent.length > 0 && { 'content-length': String(Buffer.byteLength(sent)) }),
    ...options.unsignedHeaders,
  }
  return { headers: all, body: sent }
}
