/** Requests of web pages of other origins: the preflight that a browser sends first, and the headers of the answer to the request itself. */
import type { Headers } from '../../wire/headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import type { Operation, S3Services } from '../operation.ts'
import { corsSetting } from './bucket-cors.ts'
import { allowCrossOrigin, type CrossOriginRequest } from './cors-rules.ts'

const requestedMethods: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'HEAD'])
const requestedHeadersMax = 100

/** Needs no permission: it tells only whether a rule of the bucket allows the request. */
export const corsPreflight: Operation = {
  scope: 'bucket-name',
  async run({ headers, bucketName }, services) {
    const origin = headers.get('origin')
    if (!origin) throw new S3Error('BadRequest', { message: 'Insufficient information. Origin request header needed.' })
    const method = headers.get('access-control-request-method')
    if (method === undefined || !requestedMethods.has(method)) {
      throw new S3Error('BadRequest', { message: `Invalid Access-Control-Request-Method: ${method ?? 'null'}` })
    }
    const rules = await rulesOf(bucketName, services)
    const allowed = rules && allowCrossOrigin(rules, { origin, method, headers: requestedHeaders(headers) })
    if (allowed) return { status: 200, headers: allowed }
    const reason = rules
      ? "This CORS request is not allowed. This is usually because the evaluation of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec."
      : 'CORS is not enabled for this bucket.'
    throw new S3Error('AccessForbidden', { message: `CORSResponse: ${reason}` })
  },
}

function requestedHeaders(headers: Headers): string[] {
  const names = (headers.get('access-control-request-headers') ?? '').split(',').map((name) => name.trim())
  if (names.length > requestedHeadersMax) {
    throw new S3Error('BadRequest', { message: `Access-Control-Request-Headers names more than ${requestedHeadersMax} headers.` })
  }
  return names.filter((name) => name !== '')
}

/** Returns undefined without a configuration, and for a bucket that does not exist. */
async function rulesOf(bucketName: string, { buckets, bucketSettings }: Pick<S3Services, 'buckets' | 'bucketSettings'>) {
  const bucket = buckets.find(bucketName)
  return bucket && (await bucketSettings.find(bucket, corsSetting))
}

/** Headers for the answer to a request with an Origin, also to one that fails; none when no rule allows it. */
export async function crossOriginHeaders(
  { method, headers, bucketName }: { readonly method: string; readonly headers: Headers; readonly bucketName: string },
  services: Pick<S3Services, 'buckets' | 'bucketSettings'>,
): Promise<Readonly<Record<string, string>>> {
  const origin = headers.get('origin')
  // The answer to a preflight has its own.
  if (!origin || method === 'OPTIONS') return {}
  const request: CrossOriginRequest = { origin, method: headers.get('access-control-request-method') ?? method, headers: [] }
  return allowCrossOrigin((await rulesOf(bucketName, services)) ?? [], request) ?? {}
}
