/** Presigned links of the S3 API, as its own verification expects them. */
import { canonicalQuery } from '../auth/canonical-request.ts'
import { formatAmzDate } from '../auth/credential.ts'
import { unsignedPayload } from '../auth/payload.ts'
import { algorithm, sign, signingKey, stringToSign } from '../auth/signing-key.ts'
import { percentEncode } from '../wire/percent-encoding.ts'

interface PresignRequest {
  /** Scheme and host under which clients reach the S3 API. */
  readonly endpoint: URL
  readonly region: string
  readonly bucket: string
  readonly key: string
  readonly versionId?: string | undefined
  readonly expiresSeconds: number
  readonly nowMs: number
}

/** The link reads the object without further credentials until it expires. Its host is signed. */
export function presignRead(user: { readonly accessKey: string; readonly secretKey: string }, request: PresignRequest): string {
  const { endpoint, region, bucket, key, versionId, expiresSeconds, nowMs } = request
  const amzDate = formatAmzDate(nowMs)
  const date = amzDate.slice(0, 8)
  const scope = `${date}/${region}/s3/aws4_request`
  const parameters = {
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${user.accessKey}/${scope}`,
    'X-Amz-Date': amzDate,
    'X-Amz-Expires': String(expiresSeconds),
    'X-Amz-SignedHeaders': 'host',
    ...(versionId === undefined ? {} : { versionId }),
  }
  const query = canonicalQuery(
    Object.entries(parameters)
      .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
      .join('&'),
  )
  const path = `/${percentEncode(bucket)}/${percentEncode(key, true)}`
  const canonical = `GET\n${path}\n${query}\nhost:${endpoint.host}\n\nhost\n${unsignedPayload}`
  const signature = sign(signingKey(user.secretKey, date, region), stringToSign({ amzDate, scope }, canonical))
  return `${endpoint.origin}${path}?${query}&X-Amz-Signature=${signature}`
}
