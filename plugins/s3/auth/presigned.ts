import { addHeaders, type Headers, headerName, headerText } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import {
  type Authentication,
  requireSignedHeaders,
  requireUser,
  type SignatureRequest,
  type Signer,
  skewMaxMs,
  verifySignature,
} from './authentication.ts'
import { type Credential, isRegionAccepted, parseAmzDate, parseCredential } from './credential.ts'
import { parsePayload, unsignedPayload } from './payload.ts'
import { algorithm } from './signing-key.ts'

const expiresMaxSeconds = 604_800
const required = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Signature', 'X-Amz-Date', 'X-Amz-SignedHeaders', 'X-Amz-Expires'] as const

const presigning: ReadonlySet<string> = new Set([...required, 'X-Amz-Security-Token'].map((name) => name.toLowerCase()))

/** True with any part of a presigned URL, in any letter case, so that a damaged one is refused and not taken for an anonymous request. */
export function isPresigned(query: ReadonlyMap<string, string>): boolean {
  return query.keys().some((name) => presigning.has(name.toLowerCase()))
}

/** Authenticates a presigned URL (Signature Version 4 in the query). Throws S3Error. */
export async function authenticateQuery<User extends Signer>(request: SignatureRequest<User>): Promise<Authentication<User>> {
  const parameters = readParameters(request.query)
  requireRegion(parameters.credential, request.region)
  const user = await requireUser(request, parameters.credential.accessKey)
  requireCurrent(parameters, request.now)
  const payloadHash = request.query.get('X-Amz-Content-Sha256') ?? request.headers.get('x-amz-content-sha256') ?? unsignedPayload
  const payload = parsePayload(payloadHash)
  requireSignedHeaders(request.headers, parameters.signedHeaders, ['x-amz-content-sha256', 'x-amz-date'])
  const signing = verifySignature(request, user, parameters, {
    signedHeaders: parameters.signedHeaders,
    payloadHash,
    signatureParameter: 'X-Amz-Signature',
  })
  return { user, headers: withHoisted(request.headers, request.query), payload, signature: parameters.signature, signing }
}

interface Parameters {
  readonly credential: Credential
  readonly amzDate: string
  readonly startsAtMs: number
  readonly expiresSeconds: number
  readonly signedHeaders: readonly string[]
  readonly signature: string
}

function readParameters(query: ReadonlyMap<string, string>): Parameters {
  const [requested = '', credential = '', signature = '', amzDate = '', signedHeaders = '', expires = ''] = required.map((name) => {
    const value = query.get(name)
    if (!value) throw malformed(`Query-string authentication version 4 requires the ${required.join(', ')} parameters.`)
    return value
  })
  if (requested !== algorithm) throw malformed(`X-Amz-Algorithm only supports "${algorithm}".`)
  const startsAtMs = parseAmzDate(amzDate)
  if (startsAtMs === undefined) throw malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\".")
  return {
    credential: parseCredential(credential, (reason) => malformed(`Error parsing the X-Amz-Credential parameter; ${reason}`)),
    amzDate,
    startsAtMs,
    expiresSeconds: parseExpires(expires),
    signedHeaders: signedHeaders.toLowerCase().split(';'),
    signature,
  }
}

function parseExpires(text: string): number {
  if (!/^-?\d+$/.test(text)) throw malformed('X-Amz-Expires should be a number.')
  const seconds = Number(text)
  if (seconds < 0) throw malformed('X-Amz-Expires must be non-negative.')
  if (seconds > expiresMaxSeconds)
    throw malformed(`X-Amz-Expires must be less than a week (in seconds); that is, at most ${expiresMaxSeconds}.`)
  return seconds
}

function malformed(message: string): S3Error {
  return new S3Error('AuthorizationQueryParametersError', { message })
}

function requireRegion(credential: Credential, region: string): void {
  if (isRegionAccepted(credential.region, region)) return
  throw new S3Error('AuthorizationQueryParametersError', {
    message: `Error parsing the X-Amz-Credential parameter; the region '${credential.region}' is wrong; expecting '${region}'`,
    extras: { Region: region },
  })
}

function requireCurrent({ startsAtMs, expiresSeconds, credential, amzDate }: Parameters, now: number): void {
  if (startsAtMs > now + skewMaxMs) throw new S3Error('AccessDenied', { message: 'Request is not valid yet.' })
  const expiresAtMs = startsAtMs + expiresSeconds * 1000
  if (now > expiresAtMs) {
    throw new S3Error('AccessDenied', {
      message: 'Request has expired',
      extras: {
        'X-Amz-Expires': expiresSeconds,
        Expires: new Date(expiresAtMs).toISOString(),
        ServerTime: new Date(now).toISOString(),
      },
    })
  }
  if (!amzDate.startsWith(credential.date)) {
    throw malformed(`Invalid credential date "${credential.date}". This date is not the same as X-Amz-Date: "${amzDate}".`)
  }
}

// The JavaScript SDK presigns URLs with the checksum of an empty body, so checksums in the query are ignored.
const notHoisted =
  /^x-amz-(?:algorithm|credential|signature|date|signedheaders|expires|content-sha256|security-token|checksum-.*|sdk-checksum-.*)$/

/** Throws InvalidArgument for a name or value that no header may have. */
function withHoisted(headers: Headers, query: ReadonlyMap<string, string>): Headers {
  const hoisted = new Map<string, string>()
  for (const [name, value] of query) {
    const header = name.toLowerCase()
    if (!header.startsWith('x-amz-') || notHoisted.test(header)) continue
    hoisted.set(headerName(header, value), headerText(name, value))
  }
  return addHeaders(headers, hoisted)
}
