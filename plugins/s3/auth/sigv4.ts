import { BoundedMap } from '#kernel'
import type { Headers } from '../wire/headers.ts'
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

interface Scope {
  readonly credential: Credential
  readonly signedHeaders: readonly string[]
}

interface Authorization extends Scope {
  readonly signature: string
}

const scopesMax = 1024
const scopeCharsMax = 512
/** Scopes by the text before the signature, which a client repeats in all requests of a day that have the same headers. */
const scopes = new BoundedMap<string, Scope>(scopesMax)
const signatureField = 'Signature='

function parseAuthorization(text: string): Authorization {
  const at = text.lastIndexOf(signatureField)
  const head = text.slice(0, at)
  const signature = text.slice(at + signatureField.length)
  const known = scopes.get(head)
  if (known !== undefined && isHexDigest(signature)) {
    return { credential: known.credential, signedHeaders: known.signedHeaders, signature }
  }
  const parsed = parseFields(text)
  if (parsed.signature === signature && isHexDigest(signature) && head.length <= scopeCharsMax) scopes.set(head, parsed)
  return parsed
}

/** Tells a SHA-256, which contains none of the characters that separate fields. */
const isHexDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

function parseFields(text: string): Authorization {
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
  const { time, amzDate } = readDate(request.headers)
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

interface RequestDate {
  readonly time: number
  readonly amzDate: string
}

/** Date of the request before: clients send many requests in a second. */
let lastDate: (RequestDate & { readonly sent: string }) | undefined

function readDate(headers: Headers): RequestDate {
  const sent = headers.get('x-amz-date')
  if (lastDate && sent === lastDate.sent) return lastDate
  const time = requestTime(headers, sent)
  if (time === undefined) {
    throw new S3Error('AccessDenied', { message: 'AWS authentication requires a valid Date or x-amz-date header.' })
  }
  const date = { time, amzDate: formatAmzDate(time) }
  if (sent !== undefined) lastDate = { sent, ...date }
  return date
}

function requestTime(headers: Headers, amzDate: string | undefined): number | undefined {
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
