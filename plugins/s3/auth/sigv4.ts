import { invalidArgument, S3Error } from '../wire/s3-error.ts'
import {
  type Authentication,
  requireSignedHeaders,
  requireUser,
  type SignatureRequest,
  type Signer,
  signatureVersion2Refused,
  skewMaxMs,
  verifySignature,
} from './authentication.ts'
import { type Credential, formatAmzDate, isRegionAccepted, parseAmzDate, parseCredential } from './credential.ts'
import { type Payload, parsePayload } from './payload.ts'
import { algorithm } from './signing-key.ts'

/** Authenticates by the Authorization header (Signature Version 4). Throws S3Error. */
export async function authenticateHeader<User extends Signer>(request: SignatureRequest<User>): Promise<Authentication<User>> {
  const { credential, signedHeaders, signature } = parseAuthorization(request.headers.get('authorization') ?? '')
  requireRegion(credential, request.region)
  const user = await requireUser(request, credential.accessKey)
  const amzDate = requireDate(request, credential)
  const payloadHash = request.headers.get('x-amz-content-sha256')
  const payload = requirePayload(payloadHash)
  requireSignedHeaders(request.headers, signedHeaders)
  const claim = { credential, amzDate, signature }
  const signing = verifySignature(request, user, claim, { signedHeaders, payloadHash: payloadHash ?? '' })
  return { user, headers: request.headers, payload, signature, signing }
}

interface Authorization {
  readonly credential: Credential
  readonly signedHeaders: readonly string[]
  readonly signature: string
}

function parseAuthorization(text: string): Authorization {
  const space = text.indexOf(' ')
  const scheme = space < 0 ? text : text.slice(0, space)
  if (scheme === 'AWS') throw signatureVersion2Refused()
  if (scheme !== algorithm) throw invalidArgument('Authorization', text, 'Unsupported Authorization Type')
  const fields = new Map<string, string>()
  for (const part of text.slice(algorithm.length).split(',')) {
    const equals = part.indexOf('=')
    if (equals > 0) fields.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim())
  }
  const component = (name: string): string => {
    const value = fields.get(name)
    if (!value) throw malformed(`Authorization header requires ${name}.`)
    return value
  }
  return {
    credential: parseCredential(component('Credential'), malformed),
    signedHeaders: component('SignedHeaders').toLowerCase().split(';'),
    signature: component('Signature'),
  }
}

function malformed(reason: string): S3Error {
  return new S3Error('AuthorizationHeaderMalformed', { message: `The authorization header is malformed; ${reason}` })
}

/** Clients such as s3cmd read the region from this error and sign again. */
function requireRegion(credential: Credential, region: string): void {
  if (isRegionAccepted(credential.region, region)) return
  throw new S3Error('AuthorizationHeaderMalformed', {
    message: `The authorization header is malformed; the region '${credential.region}' is wrong; expecting '${region}'`,
    extras: { Region: region },
  })
}

function requireDate(request: SignatureRequest<Signer>, credential: Credential): string {
  const time = requestTime(request)
  if (time === undefined) {
    throw new S3Error('AccessDenied', { message: 'AWS authentication requires a valid Date or x-amz-date header.' })
  }
  const amzDate = formatAmzDate(time)
  if (Math.abs(request.now - time) > skewMaxMs) {
    throw new S3Error('RequestTimeTooSkewed', {
      extras: {
        RequestTime: amzDate,
        ServerTime: new Date(request.now).toISOString(),
        MaxAllowedSkewMilliseconds: skewMaxMs,
      },
    })
  }
  if (!amzDate.startsWith(credential.date)) {
    throw new S3Error('SignatureDoesNotMatch', {
      message: `The date of the credential (${credential.date}) is not the day of the request (${amzDate}).`,
      extras: { AWSAccessKeyId: credential.accessKey },
    })
  }
  return amzDate
}

function requestTime({ headers }: SignatureRequest<Signer>): number | undefined {
  const amzDate = headers.get('x-amz-date')
  if (amzDate !== undefined) return parseAmzDate(amzDate)
  const date = headers.get('date')
  if (date === undefined) return undefined
  const time = parseAmzDate(date) ?? Date.parse(date)
  return Number.isNaN(time) ? undefined : time
}

function requirePayload(value: string | undefined): Payload {
  if (value === undefined)
    throw new S3Error('InvalidRequest', { message: 'Missing required header for this request: x-amz-content-sha256' })
  return parsePayload(value)
}
